#!/usr/bin/env python3
"""Writes abstractions.md: relaxation and abstraction heuristics on the models of HSF-SPIN, beside the formula heuristic.

    cargo build --release -p bughound
    docs/abstractions.py

The models lie beside the repository, in ../shared; they are not part of it.
"""

import argparse
import datetime
import importlib.util
import os
import platform
import subprocess
import sys
import tempfile

DOCS = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("directed_search", os.path.join(DOCS, "directed-search.py"))
directed = importlib.util.module_from_spec(spec)
spec.loader.exec_module(directed)
directed.LIMITS = ["--time-each", "10s", "--max-memory", "3G"]

# What the columns are called, and the searches: the first is the formula heuristic (or the usual one for deadlocks).
GREEDY = [("formula", "greedy"), ("hff", "greedy(h=hff)"), ("causal-graph", "greedy(h=causal-graph)"),
          ("pdb", "greedy(h=pdb)"), ("guided", "guided")]
ASTAR = [("formula", "astar"), ("hl", "astar(h=hl)"), ("pdb", "astar(h=pdb)"),
         ("merge-and-shrink", "astar(h=merge-and-shrink)"), ("cartesian", "astar(h=cartesian)")]

Case = directed.Case
CASES = [case for case in directed.CASES if "philosophers" not in case.title] + [
    directed.philosophers(8),
    Case("GIOP, assertion", "assertion.giop.prm", ["N=1", "M=1"], "assertion"),
    Case("Leader election, 3 nodes", "assertion.leader2.prm", ["N=3", "L=6"], "assertion"),
    Case("POTS, deadlock", "deadlock.pots.prm", [], "deadlock"),
    Case("POTS, connected", "ltl.invariant.pots-connect.prm", [], "never"),
    Case("Elevator, 3 floors", "ltl.invariant.elevator.prm", ["N=3"], "never"),
    Case("Alternating bit, a formula", "ltl.alternating_bit.prm", [], "never"),
    Case("Elevator, a formula", "ltl.elevator.prm", ["N=3"], "never"),
    Case("GIOP, a formula", "ltl.giop.prm", ["N=1", "M=1"], "never"),
]

PAGE = """# Abstractions and relaxations on the models of HSF-SPIN

<!-- Made by abstractions.py; changes by hand get lost. -->

Made by `docs/abstractions.py` on {date} with {version} ({machine}), from
`bughound compare MODEL PROPERTY --searches … --json` with `{limits}` for each search. A cell is: expanded states, CPU time
with that for building the heuristic. *limit*: not found within the limits. In the column *formula* `greedy` takes
`active-processes` for deadlocks and `formula` for all else, A\\* the largest of the admissible ones. Of *a formula*, accepting
cycles are looked for: estimates lead to accepting locations of the claim. *none*: there is no error, which is proven.

## Any error: greedy search

{greedy}

## The shortest error: A\\*

{astar}

## What it teaches

{lessons}
"""


def cell(row):
    stats = row["stats"]
    time = directed.seconds(stats["cpu_seconds"])
    if row["verdict"] != "found":
        return f"{row['verdict']} ({directed.number(stats['expanded'])}, {time})"
    return f"{directed.number(stats['expanded'])}, {time}"


def table(columns, found):
    lines = ["| model | property | " + " | ".join(name for name, _ in columns) + " |"]
    lines.append("|---|---" + "|--:" * len(columns) + "|")
    for case, rows in found:
        cells = [case.title, f"`{case.property}`"] + [cell(rows[search]) for _, search in columns]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def wins(columns, found):
    """For each column after the first: on how many models it expands fewer, as many, more states than the first."""
    lines = []
    for name, search in columns[1:]:
        counts = [0, 0, 0]
        for _, rows in found:
            def value(row):
                return row["stats"]["expanded"] if row["verdict"] == "found" else float("inf")
            ours, formula = value(rows[search]), value(rows[columns[0][1]])
            counts[0 if ours < formula else 1 if ours == formula else 2] += 1
        lines.append(f"- `{search}` expands fewer states than `{columns[0][1]}` on {counts[0]} models, more on {counts[2]}; "
                     f"on {counts[1]} it makes no difference, or neither finds an error.")
    return lines


# What the figures say, to be read again whenever they change.
LESSONS = """
So the default stays what it is:

- *`greedy` and `astar` keep the formula heuristic.* Its estimates take about a microsecond and nothing has to be built; on
  most of these models, which are small, the whole search takes less time than building an abstraction does.
- *`guided` is for models on which that is not enough.* It finds the failed assertion of GARP, which `greedy` does with none
  of the heuristics; it pays with the estimates of `hff`, which are slow where arrays are large (GIOP).
- *Abstractions pay off where an error depends on few variables over many steps*: A\\* goes straight to the shortest error of
  mutual exclusion and relay, and nearly so in POTS (connected); `greedy(h=pdb)` is the only one that finds the accepting
  cycle of the elevator, and does so after fewer than 8,000 states.
- *For deadlocks* they count what every process lacks to be blocked: `merge-and-shrink` needs a fifth of the states of the
  formula heuristic in GARP, `pdb` half of them with the buffers of different size. In the philosophers, the telegraph and the
  stable marriage they say next to nothing: a loop starts the processes there, so which channel a process waits for is not
  known beforehand, and being blocked costs nothing.
- So a database is worth trying after a search that failed, rather than before the first one: `astar(h=pdb)`,
  `astar(h=merge-and-shrink)`, or `compare` with all of them.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(directed.ROOT, "target"))
    parser.add_argument("--bughound", default=os.path.join(target, "release", "bughound"))
    parser.add_argument("--models", default=os.path.join(directed.SHARED, "models", "promela", "hsf-spin"))
    options = parser.parse_args()
    if not os.path.isdir(options.models):
        print("skipped: the models of HSF-SPIN do not lie beside the repository")
        return
    version = subprocess.run([options.bughound, "--version"], stdout=subprocess.PIPE, text=True).stdout.strip()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            print(case.title, file=sys.stderr, flush=True)
            case.searches = [(search, None, None) for _, search in GREEDY + ASTAR]
            rows = directed.run(options.bughound, case, options.models, folder)
            found.append((case, {search: row for (_, search), row in zip(GREEDY + ASTAR, rows)}))
    page = PAGE.format(
        date=datetime.date.today().isoformat(), version=version, limits=" ".join(directed.LIMITS),
        machine=f"{platform.machine()}, {os.cpu_count()} cores, other work going on",
        greedy=table(GREEDY, found), astar=table(ASTAR, found),
        lessons="\n".join(wins(GREEDY, found) + wins(ASTAR, found)) + "\n" + LESSONS.rstrip())
    with open(os.path.join(DOCS, "abstractions.md"), "w") as file:
        file.write(page)


if __name__ == "__main__":
    main()
