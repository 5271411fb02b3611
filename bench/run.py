#!/usr/bin/env python3
"""Times Bughound and SPIN's verifier side by side on the same state space. See README.md in this folder."""

import argparse
import datetime
import json
import os
import re
import statistics
import sys
import tempfile

from side_by_side import ROOT, built_from, keep, machine, need_spin, program, timed

# Without -o1 -o2, SPIN resets dead variables, which makes the state space smaller; Bughound does not (yet).
SPIN_OPTIONS = {"same states": ["-o1", "-o2"], "default": []}
MODEL = os.path.join(ROOT, "..", "shared", "models", "promela", "spin", "LTL", "petersonN.pml")


def prepare(folder, model, n):
    """Writes the model with the wanted size and without formulas, and compiles SPIN's verifiers for it."""
    with open(model, encoding="latin-1") as file:
        text = file.read()
    text, replaced = re.subn(r"(?m)^#define\s+N\s+\d+", f"#define N {n}", text)
    if replaced != 1:
        sys.exit(f"{model}: no single line `#define N …`")
    text = re.sub(r"(?m)^ltl .*$", "", text)
    with open(os.path.join(folder, "m.pml"), "w", encoding="latin-1") as file:
        file.write(text)
    for number, options in enumerate(SPIN_OPTIONS.values()):
        timed(["spin", "-a", *options, "m.pml"], folder)
        compile_it = ["gcc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8192", "-o", f"pan{number}", "pan.c"]
        timed(compile_it, folder)


def spin(folder, number):
    out, seconds = timed([f"./pan{number}", "-m3000000"], folder)
    states = re.search(r"^\s*([\d.e+]+) states, stored", out, re.M)
    transitions = re.search(r"^\s*([\d.e+]+) transitions", out, re.M)
    if not states or "errors: 0" not in out or "max search depth too small" in out:
        sys.exit(f"unexpected output of pan:\n{out}")
    return int(float(states.group(1))), int(float(transitions.group(1))), seconds


def bughound(folder, binary, search):
    out, seconds = timed([binary, "explore", "--json", "--no-progress", "--search", search, "m.pml"], folder)
    document = json.loads(out)
    if not document["stats"]["complete"]:
        sys.exit(f"unexpected output of bughound:\n{out}")
    return document["stats"]["stored"], document["stats"]["transitions"], seconds


def row(name, results):
    states, transitions, _ = results[0]
    times = [seconds for _, _, seconds in results]
    median = statistics.median(times)
    spread = f"{min(times):.2f}-{max(times):.2f}"
    return f"| {name} | {states:,} | {transitions:,} | {median:.2f} | {spread} | {states / median:,.0f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=4, help="number of processes (default 4)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each, alternating (default 5)")
    parser.add_argument("--model", default=MODEL, help="a copy of SPIN's petersonN.pml")
    parser.add_argument("--binary", help="the bughound to time; by default it is built in release mode")
    parser.add_argument("--search", default="bfs", help="search of bughound (default bfs)")
    parser.add_argument("--note", default="", help="a line for the result file")
    arguments = parser.parse_args()

    need_spin()
    if not os.path.exists(arguments.model):
        sys.exit(f"skipped: there is no {arguments.model}; name a copy of petersonN.pml with --model")
    binary = program(arguments.binary)

    load = [f"{os.getloadavg()[0]:.1f}"]
    ours, theirs = [], {name: [] for name in SPIN_OPTIONS}
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, arguments.model, arguments.n)
        for run in range(arguments.runs):
            for number, name in enumerate(SPIN_OPTIONS):
                theirs[name].append(spin(folder, number))
            ours.append(bughound(folder, binary, arguments.search))
            times = ", ".join(f"SPIN ({name}) {results[-1][2]:.2f} s" for name, results in theirs.items())
            print(f"run {run + 1}: {times}, Bughound {ours[-1][2]:.2f} s", flush=True)
    load.append(f"{os.getloadavg()[0]:.1f}")
    same = theirs["same states"]
    if ours[0][0] != same[0][0]:
        print(f"warning: the numbers of states differ: Bughound {ours[0][0]}, SPIN {same[0][0]}")

    def median(results):
        return statistics.median(seconds for _, _, seconds in results)

    ratios = [f"{median(ours) / median(results):.2f} times SPIN's ({name})" for name, results in theirs.items()]
    date = datetime.date.today().isoformat()
    commit = built_from(arguments.binary, binary)
    lines = [
        f"# petersonN, N = {arguments.n}: Bughound and SPIN",
        "",
        f"{date}, commit {commit}. {arguments.runs} runs of each, alternating; user CPU time in seconds.",
        "",
        "| tool | states | transitions | median s | range | states/s |",
        "|---|---|---|---|---|---|",
        *[
            row(f"SPIN, {name}: `{' '.join(['spin -a', *SPIN_OPTIONS[name]])}`", results)
            for name, results in theirs.items()
        ],
        row(f"Bughound: `bughound explore --search {arguments.search}`", ours),
        "",
        f"Bughound's time is **{', '.join(ratios)}**.",
        "SPIN's verifier: `gcc -O2 -DSAFETY -DNOREDUCE`, `pan -m3000000`; making and compiling it is not counted.",
        "",
        "Machine:",
        "",
        *[f"- {line}" for line in machine() if line],
        f"- load average before and after: {load[0]}, {load[1]}",
    ]
    if arguments.note:
        lines += ["", f"Note: {arguments.note}"]
    text = "\n".join(lines) + "\n"
    keep(text, f"petersonN-{arguments.n}-{arguments.search.split('(')[0]}")


if __name__ == "__main__":
    main()
