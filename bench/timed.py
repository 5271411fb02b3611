#!/usr/bin/env python3
"""Explores timed models of several sizes and prints the counts beside those of TChecker. See README.md in this folder."""

import argparse
import datetime
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

from side_by_side import machine, output_of

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = os.path.join(ROOT, "models", "timed")

# TChecker 0.8, covering reachability, breadth-first, full exploration: stored, visited, transitions, user seconds.
TCHECKER = {
    ("fischer", 6): (2378, 3458, 9132, 0.07),
    ("fischer", 8): (25080, 40536, 132592, 1.70),
    ("fischer", 10): (260998, 447598, 1758660, 46),
    ("csmacd", 6): (2594, 2594, 6081, 0.08),
    ("csmacd", 8): (20738, 20738, 48091, 0.98),
    ("csmacd", 10): (144898, 144898, 328381, 12.2),
    ("fddi", 6): (197, 691, 924, 0.08),
    ("fddi", 8): (341, 2635, 3588, 0.29),
    ("fddi", 10): (525, 10219, 14052, 1.79),
    ("critical", 4): (53697, 76130, 436444, 2.66),
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


def row(family, n, search, stats, seconds):
    theirs = TCHECKER.get((family, n))
    counts = [stats["stored"], stats["expanded"], stats["transitions"]]
    cells = [f"{count:,}" for count in counts] if stats["complete"] else ["out of memory", "", ""]
    other = [f"{count:,}" for count in theirs[:3]] + [f"{theirs[3]:g}"] if theirs else [""] * 4
    memory = f"{stats['peak_memory_bytes'] / 2**20:,.0f}"
    return f"| {' | '.join([f'{family} {n}', f'`{search}`', *cells, f'{seconds:.2f}', memory, *other])} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="fischer:6,8,10,12 csmacd:6,8,10 fddi:6,8,10 critical:4")
    parser.add_argument("--searches", default="bfs,largest-first")
    parser.add_argument("--models", default=MODELS, help="folder with the models")
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

    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for part in arguments.sizes.split():
            family, sizes = part.split(":")
            for n in map(int, sizes.split(",")):
                file = os.path.join(scratch, f"{family}.xta")
                with open(file, "w", encoding="utf-8") as out:
                    out.write(instance(family, n, arguments.models))
                for search in arguments.searches.split(","):
                    rows.append(row(family, n, search, *explore(binary, file, search, arguments.memory)))
                    print(rows[-1], flush=True)
    date = datetime.date.today().isoformat()
    commit = output_of(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"])
    lines = [
        "# Timed models: Bughound and TChecker 0.8",
        "",
        f"{date}, commit {commit}. `bughound explore`, limit {arguments.memory}; user CPU time in seconds, memory in MiB.",
        "TChecker's counts (covering reachability, breadth-first) are exact; its times are of another run, for orientation.",
        "",
        "| model | search | stored | visited | transitions | s | MiB | TChecker: stored | visited | transitions | s |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
        *rows,
        "",
        "Machine:",
        "",
        *[f"- {line}" for line in machine()[:2] if line],
    ]
    text = "\n".join(lines) + "\n"
    print("\n" + text)
    if not arguments.print_only:
        path = os.path.join(ROOT, "bench", "results", f"{date}-timed.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"written to {os.path.relpath(path)}")


if __name__ == "__main__":
    main()
