#!/usr/bin/env python3
"""Shortest errors by several processes: on every row of a table of errors, `cluster-astar` proves the length that A* proves in one
process. See README.md in this folder."""

import argparse
import json
import os
import subprocess
import sys

from disk_errors import rows
from side_by_side import program


def asked(arguments, command, search, file, question):
    """The shortest length, whether it is proven, and states stored; `None` and why if a limit was reached."""
    line = [arguments.binary, *command, "--json", "--no-progress", "--shortest", "--first-error", "--search", search]
    line += ["--max-time", arguments.max_time, "--max-states", str(arguments.most), *question, file]
    done = subprocess.run(line, capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 1, 2, 3):
        return None, f"code {done.returncode}: {done.stderr.strip()[-200:]}"
    document = json.loads(done.stdout)
    traces = [one for one in document["properties"] if one.get("trace")]
    length = min((one["trace"]["length"] for one in traces), default=None)
    return (length, all(one["proven_shortest"] for one in traces), document["stats"]["stored"]), None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="a folder with `expected/*.csv` and `models`")
    parser.add_argument("--only", help="rows whose names contain this")
    parser.add_argument("--processes", type=int, default=2, help="(default 2)")
    parser.add_argument("--order", default="at-once", help="of cluster-astar (default at-once)")
    parser.add_argument("--heuristic", default="auto(admissible=true)", help="an admissible one")
    parser.add_argument("--most", type=int, default=1_000_000, help="states of a search (default 1,000,000)")
    parser.add_argument("--max-time", default="60s", help="for each run (default 60s)")
    parser.add_argument("--binary", help="by default it is built in release mode")
    arguments = parser.parse_args()
    arguments.binary = program(arguments.binary)
    alone = (["check", "--threads", "1"], f"astar(h={arguments.heuristic})")
    together = (["cluster", "--local", str(arguments.processes)], f"cluster-astar(h={arguments.heuristic}, order={arguments.order})")
    same, open_, wrong = 0, [], []
    for name, file, question in rows(arguments.folder):
        if arguments.only and arguments.only not in name:
            continue
        path = os.path.join(arguments.folder, "models", file)
        known, why = asked(arguments, *alone, path, question)
        if why or known[0] is None or not known[1]:
            open_.append(name)
            print(f"{name}: A* proves nothing here ({why})", flush=True)
            continue
        found, why = asked(arguments, *together, path, question)
        verdict = why or f"{found[0]} {'proven' if found[1] else 'NOT PROVEN'}, {found[2]:,} states"
        print(f"{name}: {known[0]} steps, {known[2]:,} states; {arguments.processes} processes: {verdict}", flush=True)
        if why:
            open_.append(name)
        elif found[:2] == known[:2]:
            same += 1
        else:
            wrong.append(name)
    print(f"{same} rows agree, {len(wrong)} differ {wrong}, {len(open_)} were not decided within the limits {open_}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
