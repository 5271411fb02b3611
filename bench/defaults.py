#!/usr/bin/env python3
"""Times `bughound check` by default beside spin, gcc and pan with their defaults, on models of SPIN. See README.md in this folder."""

import argparse
import datetime
import json
import os
import re
import shutil
import statistics
import sys
import tempfile

from side_by_side import ROOT, built_from, keep, machine, need_spin, program, timed

MODELS = os.path.join(ROOT, "..", "shared", "models", "promela", "spin")
NAMES = ["dtp", "cambridge", "LTL/pftp", "snoopy", "sort", "eratosthenes", "LTL/leader"]
# pan's own limit, and larger ones for models that it is too small for.
DEPTHS = [10_000, 100_000, 1_000_000, 10_000_000]


def questions(folder):
    """What pan has to be asked: errors in states, then each formula, with the options for gcc and for pan."""
    with open(os.path.join(folder, "m.pml"), encoding="latin-1") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    formulas = re.findall(r"(?m)^\s*ltl\s+(\w+)", text)
    safety = ["-DSAFETY", "-DNOCLAIM"] if formulas else ["-DSAFETY"]
    return [("safety", safety, [])] + [(name, [], ["-a", "-N", name]) for name in formulas]


def spin(folder, asked, depths, extra):
    """Seconds for spin and gcc, seconds for all runs of pan, and what pan has found. `extra`: options that gcc needs."""
    making = running = 0.0
    found, states, compiled = [], 0, {}
    _, seconds = timed(["spin", "-a", "m.pml"], folder)
    making += seconds
    for name, compiler, options in asked:
        # Formulas share a verifier.
        key = " ".join(compiler)
        if key not in compiled:
            compiled[key] = f"pan{len(compiled)}"
            _, seconds = timed(["gcc", "-O2", "-w", *compiler, *extra, "-o", compiled[key], "pan.c"], folder)
            making += seconds
        while True:
            depth = DEPTHS[depths.get(name, 0)]
            limit = [] if depth == DEPTHS[0] else [f"-m{depth}"]
            out, seconds = timed([f"./{compiled[key]}", *options, *limit], folder, codes=(0, 1))
            if "partial order reduction invalid" in out and not extra:
                # The model declares channels as used by one process only (xr, xs) that are not: pan gives up unless told
                # not to look. Everything so far does not count.
                extra.append("-DXUSAFE")
                return spin(folder, asked, depths, extra)
            if "max search depth too small" not in out or depths.get(name, 0) + 1 == len(DEPTHS):
                break
            # Not counted: whoever knows the model knows the limit.
            depths[name] = depths.get(name, 0) + 1
        running += seconds
        errors = re.search(r"errors: (\d+)", out)
        stored = re.search(r"^\s*([\d.e+]+) states, stored", out, re.M)
        if not errors or not stored:
            sys.exit(f"unexpected output of pan:\n{out}")
        states += int(float(stored.group(1)))
        found.append(f"{name} {'violated' if errors.group(1) != '0' else 'holds'}")
    return making, running, states, found


def bughound(folder, binary, options):
    command = [binary, "check", "--json", "--no-progress", *options, "m.pml"]
    out, seconds = timed(command, folder, codes=(0, 1, 3))
    document = json.loads(out)
    found = [f"{p['name']} {p['verdict']}" for p in document["properties"]]
    return seconds, found


def median(values):
    return statistics.median(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES, help="models, without .pml (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each, alternating (default 5)")
    parser.add_argument("--models", default=MODELS, help="the folder with SPIN's examples")
    parser.add_argument("--binary", help="the bughound to time; by default it is built in release mode")
    parser.add_argument("--options", default="", help="options for `bughound check`")
    parser.add_argument("--note", default="", help="a line for the result file")
    arguments = parser.parse_args()
    need_spin()
    if not os.path.isdir(arguments.models):
        sys.exit(f"skipped: there is no {arguments.models}; name the folder with SPIN's examples with --models")
    binary = program(arguments.binary)

    load = [f"{os.getloadavg()[0]:.1f}"]
    rows, answers = [], []
    for name in arguments.names:
        ours, theirs = [], []
        with tempfile.TemporaryDirectory() as folder:
            shutil.copyfile(os.path.join(arguments.models, f"{name}.pml"), os.path.join(folder, "m.pml"))
            asked, depths, extra = questions(folder), {}, []
            for _ in range(arguments.runs):
                theirs.append(spin(folder, asked, depths, extra))
                ours.append(bughound(folder, binary, arguments.options.split()))
        making, running = median([t[0] for t in theirs]), median([t[1] for t in theirs])
        both = median([t[0] + t[1] for t in theirs])
        mine = median([seconds for seconds, _ in ours])
        ratio = f"{mine / running:.2f}" if running >= 0.01 else "–"
        rows.append(f"| {name} | {making:.2f} | {running:.2f} | {both:.2f} | {mine:.2f} | {mine / both:.2f} | {ratio} |")
        answers.append(f"- {name}: SPIN: {', '.join(theirs[0][3])} ({theirs[0][2]:,} states"
                       f"{''.join(f', gcc {option}' for option in extra)}). "
                       f"Bughound: {', '.join(ours[0][1])}.")
        print(rows[-1], flush=True)
    load.append(f"{os.getloadavg()[0]:.1f}")

    date = datetime.date.today().isoformat()
    commit = built_from(arguments.binary, binary)
    command = " ".join(["bughound check", *arguments.options.split()])
    lines = [
        "# Defaults: Bughound and SPIN",
        "",
        f"{date}, commit {commit}. {arguments.runs} runs of each, alternating; medians of user CPU time in seconds.",
        "",
        f"| model | spin + gcc | pan | spin + gcc + pan | `{command}` | ratio | ratio to pan alone |",
        "|---|---|---|---|---|---|---|",
        *rows,
        "",
        "SPIN: `spin -a`, `gcc -O2 -DSAFETY`, `pan` for errors in states; with formulas besides, `gcc -O2`, `pan -a -N NAME` for",
        "each of them. pan has a larger limit on the depth (`-m`) where its own is too small.",
        "",
        "Answers:",
        "",
        *answers,
        "",
        "Machine:",
        "",
        *[f"- {line}" for line in machine() if line],
        f"- load average before and after: {load[0]}, {load[1]}",
    ]
    if arguments.note:
        lines += ["", f"Note: {arguments.note}"]
    text = "\n".join(lines) + "\n"
    keep(text, "defaults")


if __name__ == "__main__":
    main()
