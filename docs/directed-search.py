#!/usr/bin/env python3
"""Writes directed-search.md: searches on the models of HSF-SPIN, beside the figures that were published for them.

    cargo build --release -p bughound
    docs/directed-search.py

The models and the published figures lie beside the repository, in ../shared; they are not part of it. Every search of
every model has the limits below, so that the whole takes minutes, not hours.
"""

import argparse
import csv
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

DOCS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(DOCS)
SHARED = os.path.join(ROOT, "..", "shared")
LIMITS = ["--time-each", "60s", "--max-memory", "3G"]
SOURCE = "HSF-SPIN(SPIN2001)"

# Each search with the algorithm and the heuristic of the paper that it is to be compared with.
DEADLOCK = [
    ("bfs", "HSF-SPIN BFS", "none"),
    ("dfs", "HSF-SPIN DFS", "none"),
    ("greedy", "HSF-SPIN Best-First", "H_ap"),
    ("greedy(h=deadlock-formula)", None, None),
    ("astar(h=active-processes)", "HSF-SPIN A*", "H_ap"),
    ("astar(h=deadlock-formula)", "HSF-SPIN A*", "H_f+U"),
    ("astar", None, None),
    ("auto", None, None),
]
ASSERTION = [
    ("bfs", "HSF-SPIN BFS", "none"),
    ("dfs", "HSF-SPIN DFS", "none"),
    ("greedy", "HSF-SPIN Best-First", "H_f"),
    ("astar(h=formula)", "HSF-SPIN A*", "H_f"),
    ("astar", None, None),
    ("auto", None, None),
]


class Case:
    """A model with its parameters, and what the paper calls it (table, model, instance)."""

    def __init__(self, title, file, defines, property, paper=None, edit=None, startup=None, remark=""):
        self.title, self.file, self.defines, self.property = title, file, defines, property
        self.paper, self.edit, self.startup, self.remark = paper, edit, startup, remark
        self.searches = DEADLOCK if property == "deadlock" else ASSERTION


def philosophers(n):
    paper = ("T5", "Philosophers", f"p={n}")
    title = f"Dining philosophers, {n}"
    return Case(title, "deadlock.philosophers.prm", [f"N={n}"], "deadlock", paper, startup=3 * n + 1)


CASES = [philosophers(n) for n in (2, 3, 4, 8, 12, 16)] + [
    Case("Optical telegraph, 6 stations", "deadlock.optical.prm", ["N=6"], "deadlock", ("T4", "Telegraph", "p=6"),
         startup=25),
    Case("Stable marriage, 4 pairs", "deadlock.marriers.prm", [], "deadlock", ("T4", "Marriers", "p=4"),
         edit=(r"#define NPAIRS \d+", "#define NPAIRS 4"),
         remark="Run on a copy in which `NPAIRS` is 4 instead of 2."),
    Case("GARP, deadlock", "deadlock.garp.prm", [], "deadlock", ("T4", "GARP", "")),
    Case("GARP, assertion", "deadlock.garp.prm", [], "assertion", ("T7", "GARP", "")),
    Case("GIOP, one user and two servers", "assertion.giop.prm", ["N=1", "M=2"], "deadlock",
         ("T4", "GIOP", "u=1s=2")),
    Case("Buffers of different size", "deadlock.diff_buffers_size.prm", ["N=2", "M=3"], "deadlock",
         remark="The paper has no figures for this model."),
    Case("Bartlett's protocol", "assertion.barlett.prm", ["N=2"], "assertion", ("T7", "Barlett", "")),
    Case("Lynch's protocol", "assertion.lynch.prm", [], "assertion", ("T7", "Lynch", "")),
    Case("Mutual exclusion", "assertion.mutex.prm", [], "assertion", ("T7", "Mutex", "")),
    Case("Relay", "assertion.relay.prm", [], "assertion", ("T7", "Relay", "")),
]

INTRODUCTION = """# Directed search on the models of HSF-SPIN

<!-- Made by directed-search.py; changes by hand get lost. -->

Made by `docs/directed-search.py` on {date} with {version} ({machine}).
Each table is the result of `bughound compare MODEL PROPERTY --searches … --json`, with `{limits}`
for each search, beside the figures of Edelkamp, Lluch Lafuente, Leue, "Directed explicit model checking with HSF-SPIN",
SPIN 2001, Tables 4, 5 and 7. The models are those of HSF-SPIN; they are not part of this repository. Everything but times
and rows with a limit is the same in every run.

## How to read the tables

- *found*: an error, replayed by the reference evaluator. *shortest* marks lengths that the search has proven to be so.
  *limit*: the time or memory limit ended the search.
- *paper* is the same search and heuristic in the paper: BFS, DFS, best-first search with H_ap for `greedy` on deadlocks and
  with H_f on assertions, A\\* with H_ap (`active-processes`), with H_f (`formula`), and with H_f+U (`deadlock-formula`).
  `greedy` without more takes `active-processes` for deadlocks and `formula` for assertions; `astar` takes an admissible
  heuristic; `auto` hunts like `greedy`, then shortens.
- *expanded* is not counted in the same way. The paper counts every step inside of `atomic` as an expansion; Bughound
  sees an atomic sequence as one step between two states. Philosophers and telegraph have one such sequence, the start-up
  (3p + 2 and 4p + 2 steps), which is one expansion here: 3p + 1 and 4p + 1 are taken off in the column *converted*. For
  other models with atomic sequences no exact conversion is known.
- The paper's BFS tests states when they are generated, which saves most of the last layer. Bughound counts an error when it
  is taken from the open list, since steps can have different weights.
- *length* is the number of steps, with statement merging as in SPIN; lengths can be compared.
- Where BFS gives another length than the paper, the model is another version of the paper's or its steps are counted in
  another way (a rendezvous is one step here); the other rows cannot be compared either then.
- The order among equally good states and of processes is not in the paper. The one that gives the paper's figures for the
  philosophers was found by trying several, so their agreement says less than that of the other models, for which it was
  not changed. Misprints are marked where the philosophers' figures contradict each other; the corrected figures, which
  are recomputed, are the ones compared.
- µs/h: microseconds for one estimate, measured on a sample of them. Memory is that of the search alone.
"""


def run(bughound, case, models, folder):
    path = os.path.join(models, case.file)
    if case.edit:
        with open(path) as file:
            text, changed = re.subn(*case.edit, file.read())
        if changed != 1:
            sys.exit(f"{case.file}: `{case.edit[0]}` was found {changed} times")
        path = os.path.join(folder, case.file)
        with open(path, "w") as file:
            file.write(text)
    searches = ",".join(search for search, _, _ in case.searches)
    command = [bughound, "compare", path, case.property, "--searches", searches, "--json", "--quiet"]
    command += [f"-D{define}" for define in case.defines] + LIMITS
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"{case.file}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return json.loads(done.stdout)["rows"]


def published(path):
    """(table, model, instance, algorithm, heuristic) → (expanded, length), as printed, with misprints set right."""
    figures = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["source"] != SOURCE:
                continue
            cells = {}
            for column in ("expanded", "length"):
                correct = re.search(rf"SLIP {column} must be (\d+)", row["note"])
                cells[column] = (row[column], correct.group(1) if correct else None)
            key = (row["table"], row["model"], row["instance"], row["algorithm"], row["heuristic"])
            figures[key] = cells
    return figures


def number(n):
    return "–" if n is None else f"{n:,}"


def seconds(t):
    if t is None:
        return "–"
    return f"{t * 1000:.2g} ms" if t < 0.01 else f"{t * 1000:.0f} ms" if t < 1 else f"{t:.1f} s"


def size(n):
    return f"{n / 2**10:.0f} KB" if n < 2**20 else f"{n / 2**20:.1f} MB" if n < 2**30 else f"{n / 2**30:.2f} GB"


def paper_cell(cell):
    printed, correct = cell
    shown = number(int(printed)) if printed.isdigit() else "–"
    return f"{shown} (misprint for {number(int(correct))})" if correct else shown


def paper_value(cell):
    printed, correct = cell
    text = correct or printed
    return int(text) if text.isdigit() else None


def table(case, rows, figures):
    with_paper = case.paper is not None
    heads = ["search", "result", "length", "expanded", "generated", "stored", "CPU time", "memory", "µs/h"]
    if with_paper:
        heads += ["paper: length", "paper: expanded"] + (["converted"] if case.startup else [])
    lines = ["| " + " | ".join(heads) + " |", "|---|---" + "|--:" * (len(heads) - 2) + "|"]
    for (search, algorithm, heuristic), row in zip(case.searches, rows):
        stats = row["stats"]
        per_h = row["microseconds_per_evaluation"]
        length = number(row["length"]) + (" shortest" if row["proven_shortest"] else "")
        cells = [f"`{search}`", row["verdict"], length, number(stats["expanded"]), number(stats["generated"]),
                 number(stats["stored"]), seconds(stats["cpu_seconds"]), size(stats["search_memory_bytes"]),
                 "–" if per_h is None else f"{per_h:.2f}"]
        if with_paper:
            figure = figures.get((*case.paper, algorithm, heuristic)) if algorithm else None
            cells += [paper_cell(figure["length"]), paper_cell(figure["expanded"])] if figure else ["", ""]
            if case.startup:
                expanded = paper_value(figure["expanded"]) if figure else None
                cells.append(number(expanded - case.startup) if expanded else "")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def pairs(case, rows, figures):
    """Each row with the paper's expansions, converted, and its length; only rows that the paper has, too."""
    for (search, algorithm, heuristic), row in zip(case.searches, rows):
        figure = figures.get((*case.paper, algorithm, heuristic)) if algorithm and case.paper else None
        if not figure:
            continue
        expanded, length = paper_value(figure["expanded"]), paper_value(figure["length"])
        if expanded and length:
            yield search, row, expanded - (case.startup or 0), length


def agreement(case, rows, figures):
    """The searches that agree with the paper to the digit, and in words those that do worse."""
    compared = list(pairs(case, rows, figures))
    for search, row, _, length in compared:
        if search == "bfs" and row["length"] not in (None, length):
            shortest = f"the shortest error has {row['length']} steps, {length} in the paper"
            return [], [f"{case.title}: not comparable, {shortest}"]
    exact, worse = [], []
    for search, row, expanded, length in compared:
        ours = row["stats"]["expanded"]
        if row["verdict"] != "found":
            worse.append(f"{case.title}, `{search}`: {row['verdict']}, where the paper finds an error")
        elif (ours, row["length"]) == (expanded, length):
            exact.append(f"`{search}`")
        elif row["length"] > length or ours > expanded and search != "bfs":
            figures_of = [f"{ours:,} expanded, length {row['length']:,}", f"{expanded:,} and {length:,} in the paper"]
            worse.append(f"{case.title}, `{search}`: " + "; ".join(figures_of))
    return exact, worse


def listed(lines):
    return "\n".join(f"- {line}" for line in lines) or "None."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    parser.add_argument("--bughound", default=os.path.join(target, "release", "bughound"))
    parser.add_argument("--models", default=os.path.join(SHARED, "models", "promela", "hsf-spin"))
    parser.add_argument("--published", default=os.path.join(SHARED, "expected", "published-results.csv"))
    parser.add_argument("--only", metavar="TEXT", help="only models whose title has this in it, to the standard output")
    options = parser.parse_args()
    if not os.path.isdir(options.models):
        print("skipped: the models of HSF-SPIN do not lie beside the repository")
        return
    figures = published(options.published)
    version = subprocess.run([options.bughound, "--version"], stdout=subprocess.PIPE, text=True).stdout.strip()
    sections, agreeing, remarks = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if options.only and options.only not in case.title:
                continue
            print(case.title, file=sys.stderr, flush=True)
            rows = run(options.bughound, case, options.models, folder)
            what = " ".join([f"`{case.file}`"] + [f"`-D{define}`" for define in case.defines])
            where = f", paper: Table {case.paper[0][1:]}" if case.paper else ""
            remark = f" {case.remark}" if case.remark else ""
            text = table(case, rows, figures)
            sections.append(f"### {case.title}\n\n{what}, property `{case.property}`{where}.{remark}\n\n{text}\n")
            exact, worse = agreement(case, rows, figures)
            agreeing += [f"{case.title}: {', '.join(exact)}"] if exact else []
            remarks += worse
    introduction = INTRODUCTION.format(
        date=datetime.date.today().isoformat(), version=version, limits=" ".join(LIMITS),
        machine=f"{platform.machine()}, {os.cpu_count()} cores, other work going on")
    page = "\n".join([
        introduction,
        "## Beside the paper\n",
        "Expansions (converted, misprints corrected) and length are the same to the digit:\n",
        listed(agreeing),
        "\nMore expansions or longer traces than in the paper (expansions of `bfs` left out, see above):\n",
        listed(remarks),
        "\n## Results\n",
        "\n".join(sections),
    ])
    if options.only:
        print(page)
        return
    with open(os.path.join(DOCS, "directed-search.md"), "w") as file:
        file.write(page)


if __name__ == "__main__":
    main()
