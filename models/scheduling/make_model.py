#!/usr/bin/env python3
"""Makes a model with costs (.xta and .q) of a file with a scheduling problem.

    make_model.py jobshop FILE              a job shop as JSPLIB and the OR-library have them: lines that begin with #
                                            are comments; then the numbers of jobs and machines, then a line for each
                                            job: machine (from 0) and duration, in order
    make_model.py landing FILE --runways 2  aircraft landing as the OR-library has it (airland): the number of planes and
                                            the freeze time; then for each plane its appearance, earliest, target and
                                            latest time, the costs of being early and late, and its distances to all

Writes NAME.xta and NAME.q, where NAME is that of the file without its folder and ending, or that of --output. Ask for the
least cost with

    bughound check NAME.xta

Job shops cost time (the makespan), landings what they cost in the file. Needs nothing but Python 3.
"""

import argparse
import sys
from fractions import Fraction
from pathlib import Path

# What Bughound compares clocks with at most, and a number of processes that is beyond every search.
LARGEST = 2**26
MOST = 250
# So many digits behind the point of a cost are kept.
MOST_DIGITS = 6


class BadInput(Exception):
    """What is wrong with the input, for the user."""


class Numbers:
    """The numbers of a file, one after the other."""

    def __init__(self, text):
        lines = enumerate(text.splitlines(), start=1)
        self.words = [(word, line) for line, row in lines if not row.lstrip().startswith("#") for word in row.split()]
        self.at = 0

    def next(self, what):
        if self.at == len(self.words):
            raise BadInput(f"the file ends where {what} should be")
        word, line = self.words[self.at]
        self.at += 1
        try:
            # No words such as `nan`, `1/2` and `1_000`; and none, such as `1e999999999`, that nobody can write down.
            if len(word) > 40 or set(word) - set("0123456789+-."):
                raise ValueError
            return Fraction(word), line
        except (ValueError, ZeroDivisionError):
            raise BadInput(f"line {line}: {what} should be here, not `{word[:40]}`") from None

    def whole(self, what, least=0, most=LARGEST):
        number, line = self.next(what)
        if number.denominator != 1 or not least <= number <= most:
            raise BadInput(f"line {line}: {what} should be a whole number from {least} to {most}, not {number}")
        return int(number)

    def cost(self, what):
        number, line = self.next(what)
        if not 0 <= number <= LARGEST:
            raise BadInput(f"line {line}: {what} should be a number from 0 to {LARGEST}")
        if (number * 10**MOST_DIGITS).denominator != 1:
            raise BadInput(f"line {line}: {what} has more than {MOST_DIGITS} digits behind the point")
        return number

    def end(self):
        if self.at < len(self.words):
            word, line = self.words[self.at]
            raise BadInput(f"line {line}: nothing should follow, but `{word[:40]}` does")


def read_job_shop(text):
    numbers = Numbers(text)
    jobs = numbers.whole("the number of jobs", 1, MOST)
    machines = numbers.whole("the number of machines", 1, MOST)
    shop = []
    for job in range(jobs):
        shop.append([])
        for _ in range(machines):
            machine = numbers.whole(f"a machine of job {job}", 0, machines - 1)
            shop[job].append((machine, numbers.whole(f"a duration of job {job}")))
    numbers.end()
    return machines, shop


def job_shop(name, text):
    """One process and one clock for each job. The locations bear the names of the machines, so that one can see in a
    schedule what happens."""
    machines, shop = read_job_shop(text)
    out = [
        f"// The job shop {name}: {len(shop)} jobs, {machines} machines. Made by make_model.py.",
        "// Cost is time: the least cost is the shortest makespan.",
        "",
        f"bool busy[{machines}];",
    ]
    for number, operations in enumerate(shop):
        visits, places = {}, []
        for machine, duration in operations:
            visits[machine] = visits.get(machine, 0) + 1
            again = f"_{visits[machine]}" if visits[machine] > 1 else ""
            places.append((f"M{machine}{again}", machine, duration))
        states = ", ".join(f"to_{place}, {place} {{ x <= {duration} }}" for place, _, duration in places)
        out += ["", f"process Job{number}() {{", "    clock x;", f"    state {states}, Done;"]
        out += [f"    init to_{places[0][0]};", "    trans"]
        steps = []
        for at, (place, machine, duration) in enumerate(places):
            then = f"to_{places[at + 1][0]}" if at + 1 < len(places) else "Done"
            steps.append(f"to_{place} -> {place} {{ guard !busy[{machine}]; assign busy[{machine}] = true, x = 0; }}")
            steps.append(f"{place} -> {then} {{ guard x >= {duration}; assign busy[{machine}] = false; }}")
        out += ["        " + ",\n        ".join(steps) + ";", "}"]
    out += ["", "process Time() {", "    state Passing { cost' == 1 };", "    init Passing;", "}", ""]
    jobs = [f"Job{number}" for number in range(len(shop))]
    out.append(f"system {', '.join(jobs)}, Time;")
    query = "// All jobs are done.\nE<> " + " && ".join(f"{job}.Done" for job in jobs)
    return "\n".join(out) + "\n", query + "\n"


class Plane:
    def __init__(self, earliest, target, latest, early, late):
        self.earliest, self.target, self.latest = earliest, target, latest
        self.early, self.late = early, late


def read_landing(text):
    numbers = Numbers(text)
    count = numbers.whole("the number of planes", 1, MOST)
    numbers.whole("the freeze time")
    planes, distance = [], []
    for i in range(count):
        numbers.whole(f"the appearance time of plane {i}")
        times = [numbers.whole(f"the {which} time of plane {i}") for which in ("earliest", "target", "latest")]
        if times != sorted(times):
            raise BadInput(f"plane {i}: its earliest, target and latest times are {times}, which is no order")
        early, late = (numbers.cost(f"the cost of plane {i} when it is {when}") for when in ("early", "late"))
        planes.append(Plane(*times, early, late))
        distance.append([numbers.whole(f"the distance of plane {i} to plane {j}") for j in range(count)])
        # Files have some large number here.
        distance[i][i] = 0
    numbers.end()
    return planes, distance


def whole_costs(planes):
    """Makes costs whole numbers: how many make 1 of the file."""
    unit = 1
    while any((cost * unit).denominator != 1 for plane in planes for cost in (plane.early, plane.late)):
        unit *= 10
    for plane in planes:
        plane.early, plane.late = int(plane.early * unit), int(plane.late * unit)
        if max(plane.early, plane.late) > LARGEST:
            raise BadInput("the costs are too large, once they are made whole numbers")
    return unit


def tighten(planes, distance, runways):
    """A simple schedule costs something: no plane of a better one is so early or late that it alone costs more. Returns
    that cost; nothing if the simple schedule is none."""
    landed, total = [], 0
    for i in sorted(range(len(planes)), key=lambda i: planes[i].target):
        def first(runway):
            after = [time + distance[j][i] for j, time, other in landed if other == runway]
            return max([planes[i].target] + after)

        runway = min(range(runways), key=first)
        time = first(runway)
        if time > planes[i].latest:
            return None
        landed.append((i, time, runway))
        total += (time - planes[i].target) * planes[i].late
    for plane in planes:
        if plane.early > 0:
            plane.earliest = max(plane.earliest, plane.target - total // plane.early)
        if plane.late > 0:
            plane.latest = min(plane.latest, plane.target + total // plane.late)
    return total


def array(numbers):
    return "{" + ", ".join(map(str, numbers)) + "}"


def landing(name, text, runways):
    """One clock for the time, and one for each runway, if only the last plane on it counts."""
    planes, distance = read_landing(text)
    count = len(planes)
    all_of = range(count)
    unit = whole_costs(planes)
    bound = tighten(planes, distance, runways)
    last_counts = all(
        distance[i][k] <= distance[i][j] + distance[j][k] for i in all_of for j in all_of for k in all_of
        if len({i, j, k}) == 3
    )
    out = [f"// The landings {name}: {count} planes, {runways} runway(s). Made by make_model.py.",
           "// Each unit of time before or after its target costs a plane something."]
    if unit > 1:
        out.append(f"// Costs are {unit} times those of the file: they have to be whole numbers.")
    if bound is not None:
        out += [f"// One simple schedule costs {bound}. Earliest and latest times are such that no plane costs more alone:",
                "// that leaves out no better schedule."]
    out += ["", f"const int N = {count};", f"const int RUNWAYS = {runways};", "typedef int[0, N - 1] plane_t;",
            "typedef int[0, RUNWAYS - 1] runway_t;"]
    for field in ("earliest", "target", "latest", "early", "late"):
        out.append(f"const int {field}[N] = {array(getattr(plane, field) for plane in planes)};")
    out.append("// From the first plane (a row) to the second.")
    rows = distance + ([[0] * count] if last_counts else [])
    out.append(f"const int distance[{len(rows)}][N] = {{")
    out.append(",\n".join("    " + array(row) for row in rows))
    out += ["};", "clock t;"]
    if last_counts:
        out += ["// Of each runway only the last plane counts: no distance is longer than two others on the way. The last",
                "// row is for a runway that nobody has used.", "clock since[RUNWAYS];",
                f"int[0, N] last[RUNWAYS] = {array(['N'] * runways)};"]
        apart, assign, unused = "since[r] >= distance[last[r]][i]", "since[r] = 0, last[r] = i", "last[{}] < N"
    else:
        out += ["clock since[N];",
                f"int[0, RUNWAYS] runway[N] = {array(['RUNWAYS'] * count)};   // RUNWAYS: still in the air"]
        apart = "forall (j : plane_t) (runway[j] != r || since[j] >= distance[j][i])"
        assign, unused = "since[i] = 0, runway[i] = r", "exists (j : plane_t) runway[j] == ({})"
    if runways > 1:
        out.append("// Runways are all the same: one is used only if the one before it has been.")
        apart += f" && (r == 0 || {unused.format('r > 0 ? r - 1 : 0')})"
    out += [
        "",
        "process Plane(const plane_t i) {",
        "    state Approach { t <= target[i] },",
        "          Early { t <= target[i] && cost' == early[i] },",
        "          Late { t <= latest[i] && cost' == late[i] },",
        "          Down;",
        "    init Approach;",
        "    trans",
        "        Approach -> Early {",
        "            select r : runway_t;",
        f"            guard t >= earliest[i] && {apart};",
        f"            assign {assign};",
        "        },",
        "        Early -> Down { guard t >= target[i]; },",
        "        Approach -> Late { guard t >= target[i]; },",
        "        Late -> Down {",
        "            select r : runway_t;",
        f"            guard {apart};",
        f"            assign {assign};",
        "        };",
        "}",
        "",
        "system Plane;",
    ]
    return "\n".join(out) + "\n", "// All planes have landed.\nE<> forall (i : plane_t) Plane(i).Down\n"


def runways(text):
    number = int(text)
    if not 1 <= number <= MOST:
        raise ValueError
    return number


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="jobshop|landing")
    for kind in ("jobshop", "landing"):
        own = kinds.add_parser(kind, allow_abbrev=False, help=f"make a model of a {kind} file")
        own.add_argument("file", type=Path, metavar="FILE")
        own.add_argument("--output", type=Path, metavar="NAME", help="write NAME.xta and NAME.q")
        if kind == "landing":
            own.add_argument("--runways", type=runways, default=1, metavar="N", help="how many there are (default: 1)")
    return parser.parse_args()


def main():
    asked = arguments()
    output = asked.output or Path(asked.file.stem)
    try:
        text = asked.file.read_text(encoding="utf-8")
        # What is shown in the model must not end its comment.
        name = "".join(c if c.isprintable() else "?" for c in asked.file.name)
        model, query = job_shop(name, text) if asked.kind == "jobshop" else landing(name, text, asked.runways)
        for ending, content in ((".xta", model), (".q", query)):
            # Not `with_suffix`: a point in the name is no ending.
            Path(f"{output}{ending}").write_text(content, encoding="utf-8")
    except BadInput as wrong:
        print(f"{asked.file}: {wrong}", file=sys.stderr)
        return 2
    except UnicodeDecodeError:
        print(f"{asked.file}: this is no text", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    print(f"{output}.xta, {output}.q")
    return 0


if __name__ == "__main__":
    sys.exit(main())
