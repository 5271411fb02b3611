#!/usr/bin/env python3
"""Times Bughound and SPIN's verifier side by side on the same state spaces. See README.md in this folder."""

import argparse
import csv
import datetime
import io
import json
import math
import os
import re
import statistics
import sys
import tempfile

from chart import bars
from side_by_side import ROOT, built_from, keep, keep_beside, machine, measured, need_spin, program, timed

MODELS = os.path.join(ROOT, "..", "shared", "models", "promela", "spin")
# Name: file, constant that gives the size and its value.
SAME_STATES = {
    "petersonN 4": ("LTL/petersonN.pml", ("N", 4)),
    "leader0 7": ("leader0.pml", ("N", 7)),
    "sort": ("sort.pml", None),
    "pftp": ("LTL/pftp.pml", None),
    "snoopy": ("snoopy.pml", None),
}
GROWTH = [("LTL/petersonN.pml", ("N", n)) for n in (2, 3, 4)] + [("leader0.pml", ("N", n)) for n in (4, 5, 6, 7)]
FISCHER = os.path.join(ROOT, "models", "timed", "fischer.xta")


def prepare(folder, models, file, size):
    """Writes a model with the wanted size and without formulas."""
    with open(os.path.join(models, file), encoding="latin-1") as source:
        text = source.read()
    if size:
        text, replaced = re.subn(rf"(?m)^#define\s+{size[0]}\s+\d+", f"#define {size[0]} {size[1]}", text)
        if replaced != 1:
            sys.exit(f"{file}: no single line `#define {size[0]} …`")
    text = re.sub(r"(?m)^ltl .*$", "", text)
    with open(os.path.join(folder, "m.pml"), "w", encoding="latin-1") as target:
        target.write(text)


def compile_pan(folder):
    """Makes SPIN's verifier; the user CPU time of that. Without -o1 -o2, SPIN would reset dead variables."""
    _, spin = timed(["spin", "-a", "-o1", "-o2", "m.pml"], folder)
    options = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DMEMLIM=8192"]
    _, gcc = timed(["gcc", *options, "-o", "pan", "pan.c"], folder)
    return spin + gcc


def pan(folder):
    run = measured(["./pan", "-m3000000", "-n", "-c0"], folder)
    states = re.search(r"^\s*([\d.e+]+) states, stored", run.output, re.M)
    if not states or "max search depth too small" in run.output:
        sys.exit(f"unexpected output of pan:\n{run.output}")
    return int(float(states.group(1))), run


def explore(binary, folder, *options, file="m.pml"):
    run = measured([binary, "explore", "--json", "--no-progress", *options, file], folder)
    stats = json.loads(run.output)["stats"]
    if not stats["complete"]:
        sys.exit(f"not complete: {options} on {file}\n{run.output}")
    return stats, run


def median(runs, what="user"):
    return statistics.median(getattr(run, what) for run in runs)


def same_states(arguments, binary, folder, rows):
    """CPU time and memory on the same states, beside pan's."""
    lines = ["| model | states | pan s | Bughound s | ratio | spin+gcc s | all of SPIN / Bughound | B/state exact | B/state tree | tree / exact s |"]
    lines += ["|---" * 10 + "|"]
    ratios, chart = [], []
    for name, (file, size) in SAME_STATES.items():
        prepare(folder, arguments.models, file, size)
        made = compile_pan(folder)
        theirs, exact, tree = [], [], []
        for _ in range(arguments.runs):
            states, run = pan(folder)
            theirs.append(run)
            stats, run = explore(binary, folder, "--store", "exact")
            exact.append(run)
            packed, run = explore(binary, folder, "--store", "tree")
            tree.append(run)
        for counted in (stats, packed):
            if counted["stored"] != states:
                sys.exit(f"{name}: SPIN has {states} states, Bughound {counted['stored']}")
        spin, ours, trees = median(theirs), median(exact), median(tree)
        bytes_each = [counted["search_memory_bytes"] / states for counted in (stats, packed)]
        ratios.append(ours / spin)
        chart.append((name, ours / spin))
        lines.append(
            f"| {name} | {states:,} | {spin:.2f} | {ours:.2f} | {ours / spin:.2f} | {made:.2f} | {(made + spin) / ours:.1f} "
            f"| {bytes_each[0]:.0f} | {bytes_each[1]:.0f} | {trees / ours:.2f} |"
        )
        rows += [("same states", name, states, tool, f"{seconds:.3f}", f"{each:.1f}") for tool, seconds, each in (
            ("pan", spin, median(theirs, "peak") / states), ("exact", ours, bytes_each[0]), ("tree", trees, bytes_each[1]))]
        print(lines[-1], flush=True)
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
    lines += ["", f"Geometric mean of the ratios to pan: **{mean:.2f}**; largest {max(ratios):.2f}."]
    keep_beside(bars("Bughound's CPU time / pan's, same states", chart, 1.0), "same-states", "svg")
    return lines


def growth(arguments, binary, folder, rows):
    """Time for each state as models grow."""
    lines = ["| model | states | s | ns/state |", "|---|---|---|---|"]
    for file, size in GROWTH:
        prepare(folder, arguments.models, file, size)
        runs = [explore(binary, folder) for _ in range(arguments.runs)]
        states, seconds = runs[0][0]["stored"], median([run for _, run in runs])
        name = f"{os.path.basename(file).removesuffix('.pml')} {size[1]}"
        lines.append(f"| {name} | {states:,} | {seconds:.2f} | {seconds / states * 1e9:,.0f} |")
        rows.append(("growth", name, states, "auto", f"{seconds:.3f}", ""))
        print(lines[-1], flush=True)
    return lines


def threads(arguments, binary, folder, rows):
    """Wall-clock time with one thread and with several."""
    lines = ["| what | threads | wall s | speed-up |", "|---|---|---|---|"]
    prepare(folder, arguments.models, *SAME_STATES["petersonN 4"])
    with open(FISCHER, encoding="utf-8") as file:
        text = re.sub(r"(const\s+int\s+N\s*=\s*)\d+", r"\g<1>11", file.read())
    with open(os.path.join(folder, "fischer11.xta"), "w", encoding="utf-8") as file:
        file.write(text)
    guided = ["check", "--reduction", "off", "--dead-variables", "off", "--max-states", "1500000", "--search"]
    tasks = [
        ("petersonN 4, bfs", "m.pml", ["explore"]),
        ("Fischer 11, bfs", "fischer11.xta", ["explore"]),
        ("petersonN 4, greedy, 1,500,000 states", "m.pml", [*guided, "greedy"]),
        ("petersonN 4, astar(h=hmax), 1,500,000 states", "m.pml", [*guided, "astar(h=hmax)"]),
    ]
    for name, file, task in tasks:
        times = {1: [], arguments.threads: []}
        for _ in range(arguments.runs):
            for count, walls in times.items():
                # A check that is not complete ends with 4.
                command = [binary, *task, "--no-progress", "--threads", str(count), file]
                walls.append(measured(command, folder, codes=(0, 4)).wall)
        alone = statistics.median(times[1])
        for count, walls in times.items():
            wall = statistics.median(walls)
            lines.append(f"| {name} | {count} | {wall:.2f} | {alone / wall:.2f} |")
            rows.append(("threads", name, "", str(count), f"{wall:.3f}", ""))
            print(lines[-1], flush=True)
    return lines


PARTS = {"same-states": same_states, "growth": growth, "threads": threads}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each, alternating (default 5)")
    parser.add_argument("--models", default=MODELS, help="folder of SPIN's examples")
    parser.add_argument("--binary", help="the bughound to time; by default it is built in release mode")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads to compare with one (default: cores)")
    parser.add_argument("--note", default="", help="a line for the result file")
    arguments = parser.parse_args()
    unknown = [part for part in arguments.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part is called {unknown[0]}; there are {', '.join(PARTS)}")
    need_spin()
    if not os.path.isdir(arguments.models):
        sys.exit(f"skipped: there is no folder {arguments.models}; name one with SPIN's examples with --models")
    binary = program(arguments.binary)
    load, rows = [f"{os.getloadavg()[0]:.1f}"], []
    lines = [
        "# Bughound and SPIN on the same states",
        "",
        f"{datetime.date.today().isoformat()}, commit {built_from(arguments.binary, binary)}. {arguments.runs} runs of each, "
        "alternating; medians of the user CPU time in seconds, of wall-clock time for threads.",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for part in arguments.parts or PARTS:
            lines += ["", f"## {PARTS[part].__doc__.rstrip('.')}", "", *PARTS[part](arguments, binary, folder, rows)]
    load.append(f"{os.getloadavg()[0]:.1f}")
    lines += ["", "Machine:", "", *[f"- {line}" for line in machine() if line]]
    lines += [f"- load average before and after: {load[0]}, {load[1]}"]
    if arguments.note:
        lines += ["", f"Note: {arguments.note}"]
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([("part", "model", "states", "tool", "seconds", "bytes_per_state"), *rows])
    name = "-and-".join(arguments.parts) if arguments.parts else "all"
    keep_beside(table.getvalue(), name, "csv")
    keep("\n".join(lines) + "\n", name)


if __name__ == "__main__":
    main()
