#!/usr/bin/env python3
"""Measures how well --max-memory bounds the memory of the process: the largest resident set of each run, by its limit.

    bench/memory.py [--binary FILE] [--limit MIB] MODEL...

Models should be larger than the limit. Exits with 1 if a run took more than 1.1 times its limit.
"""

import argparse
import itertools
import os
import resource
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STORES = ["exact", "tree", "auto", "compact", "auto-lossy"]
THREADS = [1, 4]
SEARCHES = ["bfs", "dfs", "greedy(h=hff)", "astar(h=pdb)", "astar(h=merge-and-shrink)", "astar(h=cartesian)", "scc"]
MOST = 1.1


def peak(command):
    """Bytes of the largest resident set, and how the command ended."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    _, errors = child.communicate()
    # Of all children so far: each run is measured in a process of its own.
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, child.returncode, errors


def measured(command):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, repr(peak(command)[:2]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.wait()
    return eval(text)  # Written by the lines above.


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "target", "release", "bughound"))
    parser.add_argument("--limit", type=int, default=400)
    parser.add_argument("--time", default="120s", help="for each run")
    parser.add_argument("--searches", default=";".join(SEARCHES), help="separated by ;")
    parser.add_argument("--stores", default=",".join(STORES))
    parser.add_argument("models", nargs="+")
    arguments = parser.parse_args()
    worst = 0.0
    print("| model | search | store | threads | exit code | MiB | by the limit |\n|---|---|---|---|---|---|---|")
    choices = itertools.product(arguments.models, arguments.searches.split(";"), arguments.stores.split(","), THREADS)
    for model, search, store, threads in choices:
        if search in ("dfs", "scc") and threads > 1:
            continue
        # Nothing is to be found: the search goes on until the memory is used up.
        what = ["--only", "--invariant", "true"]
        command = [arguments.binary, "check", *what, "--search", search, "--store", store, "--threads", str(threads)]
        command += ["--max-memory", f"{arguments.limit}M", "--max-time", arguments.time, "--no-progress", model]
        taken, code = measured(command)
        ratio = taken / (arguments.limit << 20)
        worst = max(worst, ratio)
        name = os.path.basename(model)
        print(f"| {name} | {search} | {store} | {threads} | {code} | {taken >> 20} | {ratio:.2f} |", flush=True)
    print(f"worst: {worst:.2f}")
    sys.exit(worst > MOST)


if __name__ == "__main__":
    main()
