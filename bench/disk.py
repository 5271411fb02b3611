#!/usr/bin/env python3
"""Explores models of known size in memory and from disk, side by side. See README.md in this folder."""

import argparse
import csv
import datetime
import io
import json
import math
import os
import statistics
import sys
import tempfile
import threading

from side_by_side import ROOT, built_from, keep, keep_beside, machine, measured, program

MODELS = os.path.join(ROOT, "models", "promela")
# Name: file, constants, number of states.
SIZES = {
    "tiles 5x2": ("tiles.pml", {"WIDTH": 5, "HEIGHT": 2}, math.factorial(10) // 2),
    "pancakes 10": ("pancakes.pml", {"N": 10}, math.factorial(10)),
    "shares 5/60": ("shares.pml", {"USERS": 5, "UNITS": 60}, math.comb(65, 5)),
    "hanoi 4^12": ("hanoi.pml", {"N": 12}, 4**12),
    "hanoi 3^13": ("hanoi.pml", {"PEGS": 3, "N": 13}, 3**13),
}
LARGE = ("tiles 4x3", ("tiles.pml", {"WIDTH": 4, "HEIGHT": 3}, math.factorial(12) // 2))
# The search that is compared with the one in memory, and the one in memory.
EXTERNAL, INTERNAL = "external-bfs", "bfs"
LIMITS = ["200M", "500M", "1G"]
UNITS = {"M": 2**20, "G": 2**30}


def bytes_of(limit):
    return int(limit[:-1]) * UNITS[limit[-1]]


class Disk:
    """Watches how many bytes lie in a folder while something runs."""

    def __init__(self, folder):
        self.folder, self.peak, self.over = folder, 0, threading.Event()
        self.watcher = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.over.wait(0.1):
            self.peak = max(self.peak, self.now())

    def now(self):
        total = 0
        for folder, _, files in os.walk(self.folder):
            for file in files:
                try:
                    total += os.stat(os.path.join(folder, file)).st_size
                except OSError:
                    pass  # It is gone by now.
        return total

    def __enter__(self):
        self.watcher.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.watcher.join()


def explore(binary, model, *options):
    """The run, and what the search says of itself. The number of states must be that of the formula."""
    file, constants, states = model
    defines = [f"-D{name}={value}" for name, value in constants.items()]
    command = [binary, "explore", "--json", "--no-progress", "--threads", "1", *options, *defines, file]
    run = measured(command, MODELS)
    stats = json.loads(run.output)["stats"]
    if not stats["complete"] or stats["stored"] != states:
        sys.exit(f"{' '.join(command)}: {states:,} states expected\n{run.output}")
    return stats, run


def from_disk(arguments, model, limit):
    """The same from disk; with the most bytes that lay there."""
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder, Disk(folder) as disk:
        options = ["--search", EXTERNAL, "--disk", folder, "--max-disk", arguments.max_disk, "--max-memory", limit]
        stats, run = explore(arguments.binary, model, *options)
        left = [path for path, _, files in os.walk(folder) for path in files]
        if left:
            sys.exit(f"files are left behind: {left}")
    return stats, run, disk.peak


def in_memory(arguments, model):
    stats, run = explore(arguments.binary, model, "--search", INTERNAL)
    return stats, run


def median(runs, what):
    return statistics.median(getattr(run, what) for run in runs)


def side_by_side(arguments, rows):
    """In memory and from disk"""
    head = "| model | states | RAM s | disk s | ratio | RAM CPU s | disk CPU s | RAM B/state | on disk B/state | peak RSS MiB |"
    lines = [head, "|---" * 10 + "|"]
    ratios = []
    for name, model in SIZES.items():
        if arguments.models and not any(part in name for part in arguments.models):
            continue
        ram, disk, most = [], [], 0
        for _ in range(arguments.runs):
            stats, run = in_memory(arguments, model)
            ram.append(run)
            _, run, peak = from_disk(arguments, model, arguments.max_memory)
            disk.append(run)
            most = max(most, peak)
        states, ratio = model[2], median(disk, "wall") / median(ram, "wall")
        ratios.append(ratio)
        each = stats["search_memory_bytes"] / states
        lines.append(
            f"| {name} | {states:,} | {median(ram, 'wall'):.2f} | {median(disk, 'wall'):.2f} | {ratio:.2f} "
            f"| {median(ram, 'user'):.2f} | {median(disk, 'user'):.2f} | {each:.1f} | {most / states:.1f} "
            f"| {max(run.peak for run in disk) / 2**20:.0f} |"
        )
        rows.append(("side by side", name, states, arguments.max_memory, f"{ratio:.3f}", f"{most / states:.2f}"))
        print(lines[-1], flush=True)
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
    return [*lines, "", f"Geometric mean of the ratios: **{mean:.2f}**; largest {max(ratios):.2f}."]


def limits(arguments, rows):
    """Memory by its limit"""
    lines = ["| model | --max-memory | disk s | peak RSS MiB | by the limit | on disk MiB |", "|---" * 6 + "|"]
    for name in ("hanoi 4^12", "shares 5/60"):
        for limit in LIMITS:
            _, run, peak = from_disk(arguments, SIZES[name], limit)
            share = run.peak / bytes_of(limit)
            lines.append(
                f"| {name} | {limit} | {run.wall:.2f} | {run.peak / 2**20:.0f} | {share:.2f} | {peak / 2**20:.0f} |"
            )
            rows.append(("limits", name, SIZES[name][2], limit, f"{run.wall:.2f}", f"{share:.3f}"))
            print(lines[-1], flush=True)
    return lines


def large(arguments, rows):
    """Beyond memory"""
    name, model = LARGE
    _, run, peak = from_disk(arguments, model, arguments.max_memory)
    share = run.peak / bytes_of(arguments.max_memory)
    rows.append(("large", name, model[2], arguments.max_memory, f"{run.wall:.1f}", f"{share:.3f}"))
    return [
        f"{name}: all {model[2]:,} states with `--max-memory {arguments.max_memory}` in {run.wall:.0f} s "
        f"({run.user:.0f} s CPU), {run.wall / model[2] * 1e9:.0f} ns for each; at most {run.peak / 2**20:.0f} MiB in memory "
        f"({share:.2f} of the limit), {peak / 2**20:,.0f} MiB on disk, {peak / model[2]:.1f} bytes for each state."
    ]


PARTS = {"side-by-side": side_by_side, "limits": limits, "large": large}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)} (default: the first two)")
    parser.add_argument("--models", nargs="*", help="parts of names of models, for the side-by-side part")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, alternating (default 3)")
    parser.add_argument("--binary", help="the bughound to time; by default it is built in release mode")
    parser.add_argument("--folder", help="where states are kept (default: the folder for temporary files)")
    parser.add_argument("--max-memory", default="1G", help="in M or G (default 1G)")
    parser.add_argument("--max-disk", default="60G", help="(default 60G)")
    parser.add_argument("--note", default="", help="a line for the result file")
    arguments = parser.parse_args()
    unknown = [part for part in arguments.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part is called {unknown[0]}; there are {', '.join(PARTS)}")
    given, arguments.binary = arguments.binary, program(arguments.binary)
    load, rows = [f"{os.getloadavg()[0]:.1f}"], []
    lines = [
        "# Searching from disk",
        "",
        f"{datetime.date.today().isoformat()}, commit {built_from(given, arguments.binary)}. `{EXTERNAL}` with "
        f"`--max-memory {arguments.max_memory}`, unless said otherwise, beside `{INTERNAL}` in memory, one thread. "
        f"{arguments.runs} runs of each, alternating; medians of wall-clock and of CPU time. The files are written to "
        f"and read from a disk, as far as the operating system does not keep them in memory of its own.",
    ]
    parts = arguments.parts or ["side-by-side", "limits"]
    for part in parts:
        lines += ["", f"## {PARTS[part].__doc__}", "", *PARTS[part](arguments, rows)]
    load.append(f"{os.getloadavg()[0]:.1f}")
    lines += ["", "Machine:", "", *[f"- {line}" for line in machine() if line]]
    lines += [f"- load average before and after: {load[0]}, {load[1]}"]
    if arguments.note:
        lines += ["", f"Note: {arguments.note}"]
    table = io.StringIO()
    head = ("part", "model", "states", "max_memory", "ratio_or_seconds", "bytes_per_state_or_share_of_limit")
    csv.writer(table, lineterminator="\n").writerows([head, *rows])
    name = "-and-".join(["disk", *arguments.parts])
    keep_beside(table.getvalue(), name, "csv")
    keep("\n".join(lines) + "\n", name)


if __name__ == "__main__":
    main()
