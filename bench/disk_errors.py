#!/usr/bin/env python3
"""Shortest errors from disk: on every row of a table of errors, external A* proves the length that breadth-first search proves, and
expands no more states than have an estimated length up to it (timed: than breadth-first search). See README.md in this folder."""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

from side_by_side import program

ASTAR = "external-astar(h={h})"


def rows(folder):
    """Name, file, and what to ask: every row with an error of the tables of SPIN's answers and of timed models."""
    with open(os.path.join(folder, "expected", "spin-6.5.2.csv"), encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["safety"] not in ("none", "unknown"):
                yield row["model"] + " " + row["defs"], row["model"], [*row["defs"].split(), "--property", "safety"]
    with open(os.path.join(folder, "expected", "timed.csv"), encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["shortest_length"]:
                yield row["model"], row["model"], ["--query", row["query"], "--only"]


def asked(arguments, file, question, *options):
    """What the program answers: stored states, expansions, the shortest proven length; nothing if a limit was reached."""
    command = [arguments.binary, "check", "--json", "--no-progress", "--threads", "1", "--shortest"]
    command += ["--max-time", arguments.max_time, *options, *question]
    done = subprocess.run([*command, file], capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 1, 2, 3):
        return None, f"code {done.returncode}: {done.stderr.strip()[-200:]}"
    document = json.loads(done.stdout)
    lengths = [one["trace"]["length"] for one in document["properties"] if one.get("trace")]
    proven = all(one["proven_shortest"] for one in document["properties"] if one.get("trace"))
    stats = document["stats"]
    return (min(lengths, default=None), proven, stats["expanded"], stats.get("reopened", 0)), None


def compare(arguments, name, file, question, folder):
    """A line of the report, and whether all is well; `None`: a limit was reached."""
    memory = ["--max-memory", arguments.max_memory]
    disk = ["--disk", folder, "--max-memory", arguments.disk_memory or arguments.max_memory]
    known, trouble = asked(arguments, file, question, "--first-error", "--search", "bfs", *memory)
    if trouble or known[0] is None or not known[1]:
        return f"{name}: breadth-first search proves nothing here ({trouble})", None
    length, _, breadth, _ = known
    line, good = [f"{name}: {length} steps, bfs expands {breadth:,}"], True
    for heuristic in arguments.heuristics:
        search = ASTAR.format(h=heuristic)
        found, trouble = asked(arguments, file, question, "--first-error", "--search", search, *disk)
        if trouble:
            line.append(f"{heuristic}: {trouble}")
            good = None if good else good
            continue
        right = found[:2] == (length, True)
        # All states whose cost and estimate are no more than the length, seen by the search in memory. A query ends when it is
        # decided, whatever is asked for, so with queries there is nothing to compare with but the search without estimates.
        most, trouble = breadth, None
        if "--query" not in question:
            options = ["--exhaustive", "--max-depth", str(length), "--search", f"astar(h={heuristic})", *memory]
            bounded, trouble = asked(arguments, file, question, *options)
            most = None if trouble else bounded[2]
        few = most is None or found[2] <= most
        good = (good and None) if right and most is None else good and right and few
        line.append(f"{heuristic}: {found[0]} {'proven' if found[1] else 'NOT PROVEN'}, {found[2]:,} of at most {most}")
        if not (right and few):
            good = False
            line.append("DIFFERS")
    return "; ".join(line), good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="a folder with `expected/*.csv` and `models`")
    parser.add_argument("--only", help="rows whose names contain this")
    parser.add_argument("--heuristics", nargs="*", default=["auto(admissible=true)"], help="admissible ones")
    parser.add_argument("--max-time", default="60s", help="for each run (default 60s)")
    parser.add_argument("--max-memory", default="2G", help="for each search in memory (default 2G)")
    parser.add_argument("--disk-memory", help="for searches on disk: less, so that they need it (default: the same)")
    parser.add_argument("--binary", help="by default it is built in release mode")
    arguments = parser.parse_args()
    arguments.binary = program(arguments.binary)
    same, open_, wrong = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, file, question in rows(arguments.folder):
            if arguments.only and arguments.only not in name:
                continue
            line, good = compare(arguments, name, os.path.join(arguments.folder, "models", file), question, folder)
            print(line, flush=True)
            same += good is True
            open_ += [name] * (good is None)
            wrong += [name] * (good is False)
    print(f"{same} rows agree, {len(wrong)} differ {wrong}, {len(open_)} were not decided within the limits {open_}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
