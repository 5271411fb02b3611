#!/usr/bin/env python3
"""Explores timed models of several sizes beside TChecker, if it is on the path. See README.md in this folder."""

import argparse
import csv
import datetime
import io
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

import tchecker
from chart import bars
from side_by_side import keep, keep_beside, machine, output_of

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = os.path.join(ROOT, "models", "timed")

# What TChecker 0.8 counts by covering reachability, breadth-first, full exploration: stored, visited, transitions.
TCHECKER = {
    ("fischer", 6): (2378, 3458, 9132),
    ("fischer", 8): (25080, 40536, 132592),
    ("fischer", 10): (260998, 447598, 1758660),
    ("csmacd", 6): (2594, 2594, 6081),
    ("csmacd", 8): (20738, 20738, 48091),
    ("csmacd", 10): (144898, 144898, 328381),
    ("fddi", 6): (197, 691, 924),
    ("fddi", 8): (341, 2635, 3588),
    ("fddi", 10): (525, 10219, 14052),
    ("critical", 4): (53697, 76130, 436444),
}


# The bundled models with the zones of TChecker's: some of those have mistakes that Bughound's own have not.
FILES = {"fischer": "fischer", "csmacd": "csma_cd_faulty", "fddi": "fddi", "critical": "critical_region_faulty"}


def instance(family, n, folder):
    """The text of a model whose size, the constant N, is the wanted one."""
    path = os.path.join(folder, f"{FILES[family]}.xta")
    with open(path, encoding="utf-8") as file:
        text, replaced = re.subn(r"(const\s+int\s+N\s*=\s*)\d+", rf"\g<1>{n}", file.read())
    if replaced != 1:
        sys.exit(f"{path}: no single constant N")
    return text


def explore(binary, file, search, memory):
    """The counts of an exploration, its user CPU time and its peak memory."""
    command = [binary, "explore", file, "--search", search, "--json", "--no-progress", "--max-memory", memory]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode not in (0, 4):
        sys.exit(f"{' '.join(command)} failed with code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return json.loads(done.stdout)["stats"], seconds


def beside(family, n, theirs):
    """What TChecker counts for a model and takes: of these runs; without them what it counts is known."""
    if theirs:
        return theirs[0][:3], statistics.median(run.user for *_, run in theirs)
    return TCHECKER.get((family, n)), None


def row(family, n, search, ours, counts, their_seconds):
    stats, seconds = ours[0][0], statistics.median(seconds for _, seconds in ours)
    mine = [stats["stored"], stats["expanded"], stats["transitions"]]
    cells = [f"{count:,}" for count in mine] if stats["complete"] else ["out of memory", "", ""]
    other = [f"{count:,}" for count in counts] if counts else [""] * 3
    other += [f"{their_seconds:.2f}", f"{their_seconds / seconds:.1f}"] if their_seconds else ["", ""]
    memory = f"{stats['peak_memory_bytes'] / 2**20:,.0f}"
    return f"| {' | '.join([f'{family} {n}', f'`{search}`', *cells, f'{seconds:.2f}', memory, *other])} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="fischer:6,8,10,12 csmacd:6,8,10 fddi:6,8,10 critical:4")
    parser.add_argument("--searches", default="bfs,largest-first")
    parser.add_argument("--models", default=MODELS, help="folder with the models")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, alternating (default 3)")
    parser.add_argument("--memory", default="4G", help="limit for a run (default 4G)")
    parser.add_argument("--binary", help="the bughound to time; by default it is built in release mode")
    parser.add_argument("--print-only", action="store_true", help="write no result file")
    arguments = parser.parse_args()
    binary = arguments.binary
    if not binary:
        subprocess.run(["cargo", "build", "--release", "-p", "bughound"], cwd=ROOT, check=True)
        target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
        binary = os.path.join(target, "release", "bughound")
    binary = os.path.abspath(binary)

    rows, table, chart = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        for part in arguments.sizes.split():
            family, sizes = part.split(":")
            for n in map(int, sizes.split(",")):
                file = os.path.join(scratch, f"{family}.xta")
                with open(file, "w", encoding="utf-8") as out:
                    out.write(instance(family, n, arguments.models))
                searches = arguments.searches.split(",")
                ours, theirs = {search: [] for search in searches}, []
                for _ in range(arguments.runs):
                    for search in searches:
                        ours[search].append(explore(binary, file, search, arguments.memory))
                    if tchecker.is_there():
                        theirs += filter(None, [tchecker.explored(family, n, scratch)])
                counts, their_seconds = beside(family, n, theirs)
                for search in searches:
                    rows.append(row(family, n, search, ours[search], counts, their_seconds))
                    print(rows[-1], flush=True)
                    seconds = statistics.median(seconds for _, seconds in ours[search])
                    table.append((family, n, search, ours[search][0][0]["stored"], f"{seconds:.3f}"))
                    if their_seconds:
                        chart.append((f"{family} {n}, {search}", seconds / their_seconds))
                if their_seconds:
                    table.append((family, n, "tchecker", counts[0], f"{their_seconds:.3f}"))
    date = datetime.date.today().isoformat()
    commit = output_of(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"])
    ran = "ran in turn with it, and the last column is its time by ours" if chart else "is not on the path: its counts are known, its times are not"
    lines = [
        "# Timed models: Bughound and TChecker",
        "",
        f"{date}, commit {commit}. `bughound explore`, limit {arguments.memory}, {arguments.runs} runs of each; medians of the user "
        "CPU time in seconds, memory in MiB.",
        f"TChecker (`tck-reach -a covreach -s bfs`) {ran}.",
        "",
        "| model | search | stored | visited | transitions | s | MiB | TChecker: stored | visited | transitions | s | TChecker / Bughound |",
        "|---" * 12 + "|",
        *rows,
        "",
        "Machine:",
        "",
        *[f"- {line}" for line in machine()[:2] if line],
        f"- load average: {os.getloadavg()[0]:.1f}",
    ]
    text = "\n".join(lines) + "\n"
    print("\n" + text)
    if not arguments.print_only:
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows([("family", "n", "tool", "stored", "seconds"), *table])
        keep_beside(written.getvalue(), "timed", "csv")
        if chart:
            keep_beside(bars("Bughound's CPU time / TChecker's", chart, 1.0), "timed", "svg")
        keep(text, "timed")


if __name__ == "__main__":
    main()
