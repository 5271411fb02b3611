#!/usr/bin/env python3
"""Models with probabilities, side by side with Storm: the CPU time to build a model and to answer one question about it.

Storm is used through `stormpy` (`pip install stormpy`), with its sparse engine, once with its defaults (which promise nothing about
the number) and once sound. Runs alternate. The time of Storm begins after the module was loaded.
"""

import argparse
import csv
import datetime
import io
import json
import os
import resource
import statistics
import subprocess
import sys

import side_by_side as common

MODELS = os.path.join(os.path.dirname(common.ROOT), "shared", "models", "prism")
TIME_LIMIT = 300

# File, constants, question.
CASES = [
    ("benchmarks/brp.pm", "N=2048,MAX=10", "P=? [ F s=5 ]"),
    ("benchmarks/crowds.pm", "TotalRuns=6,CrowdSize=10", "P=? [ F observe0>1 ]"),
    ("benchmarks/egl.pm", "N=5,L=8", 'P=? [ F !"knowA" & "knowB" ]'),
    ("benchmarks/nand.pm", "N=40,K=1", "P=? [ F s=4 & z/N<0.1 ]"),
    ("benchmarks/cluster.sm", "N=64", 'P=? [ F<=100 !"minimum" ]'),
    ("benchmarks/kanban.sm", "t=3", "P=? [ F<=1 x1=1 & x2=1 & x3=1 & x4=1 ]"),
    ("benchmarks/tandem.sm", "c=255", "P=? [ F<=1 sc=c ]"),
    ("benchmarks/coin2.nm", "K=32", 'R{"steps"}max=? [ F "finished" ]'),
    ("benchmarks/firewire.nm", "delay=36", 'R{"time"}max=? [ F "done" ]'),
    ("benchmarks/zeroconf.nm", "reset=false,N=1000,K=4", "Pmax=? [ F (l=4 & ip=1) ]"),
]

# What a process of its own does with Storm: file, constants, question, and how.
STORM = """
import json, sys, time, stormpy
file, constants, question, how = sys.argv[1:]
start = time.process_time()
program = stormpy.parse_prism_program(file, prism_compatibility=file.endswith(".sm"))
questions = stormpy.parse_properties(question, program)
program, questions = stormpy.instantiate_constants(program, constants, questions)
model = stormpy.build_model(program, questions)
built = time.process_time()
environment = stormpy.environments.sound() if how == "sound" else stormpy.Environment()
result = stormpy.model_checking(model, questions[0], environment=environment)
value = float(result.get_value(list(model.initial_states)[0]))
done = time.process_time()
print(json.dumps({"states": model.nr_states, "value": value, "seconds": done - start, "building": built - start}))
"""


def cpu():
    """The CPU seconds of all commands up to now."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command):
    """The standard output of a command; none if it takes too long."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        try:
            output, _ = child.communicate(timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()
            return None
    return output


def storm(python, file, constants, question, how):
    output = run([python, "-c", STORM, file, constants, question, how])
    return json.loads(output.splitlines()[-1]) if output else None


def bughound(binary, file, constants, question):
    constants = ["--const", constants] if constants else []
    command = [binary, "check", file, "--query", question, "--json", "--no-progress", *constants]
    before = cpu()
    output = run(command)
    seconds = cpu() - before
    if not output:
        return None
    document = json.loads(output)
    answer = document["properties"][0]["answer"]
    bounds = {key: answer[key] for key in ("value", "lower", "upper")}
    return {"states": document["stats"]["stored"], "seconds": seconds, **bounds}


def check(name, theirs, ours):
    """Storm, sound, and Bughound have to agree."""
    if theirs and ours and abs(theirs["value"] - ours["value"]) > 1e-5 * abs(theirs["value"]):
        sys.exit(f"{name}: Storm says {theirs['value']}, Bughound {ours['lower']} to {ours['upper']}")


def median(runs):
    runs = [run["seconds"] for run in runs if run]
    return statistics.median(runs) if runs else None


def shown(seconds):
    return f"{seconds:.2f}" if seconds is not None else f"> {TIME_LIMIT}"


def geometric_mean(ratios):
    ratios = [ratio for ratio in ratios if ratio]
    return statistics.geometric_mean(ratios) if ratios else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="parts of names of models (default: all)")
    parser.add_argument("--binary", help="the program to time (default: a release build of what is checked out)")
    parser.add_argument("--python", default=sys.executable, help="a Python that has stormpy")
    parser.add_argument("--models", default=MODELS, help="the folder of PRISM's models")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--dry", action="store_true", help="print only, keep nothing")
    options = parser.parse_args()
    version = common.output_of([options.python, "-c", "import stormpy; print(stormpy.__version__)"])
    if not version:
        sys.exit("skipped: stormpy is not installed (pip install stormpy)")
    binary = common.program(options.binary)
    rows = []
    for name, constants, question in CASES:
        if options.cases and not any(part in name for part in options.cases):
            continue
        file = os.path.join(options.models, name)
        ours, default, sound = [], [], []
        for _ in range(options.runs):
            default.append(storm(options.python, file, constants, question, "default"))
            ours.append(bughound(binary, file, constants, question))
            sound.append(storm(options.python, file, constants, question, "sound"))
        times = [median(runs) for runs in (default, sound, ours)]
        first = [next((run for run in runs if run), None) for runs in (default, sound, ours)]
        check(name, first[1], first[2])
        rows.append((name, constants, question, times, first))
        print(name, constants, [shown(seconds) for seconds in times], flush=True)
    report(rows, options, version, binary)


def report(rows, options, version, binary):
    lines = [
        "| model | constants | states | Storm | Storm, sound | Bughound | ratio | ratio to sound |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    titles = ["storm_s", "storm_sound_s", "bughound_s", "storm_value", "storm_sound_value", "lower", "upper"]
    writer.writerow(["model", "constants", "question", "states", *titles])
    ratios = ([], [])
    for name, constants, question, (default, sound, ours), (first, second, third) in rows:
        pair = [ours / theirs if ours is not None and theirs else None for theirs in (default, sound)]
        for ratio, known in zip(pair, ratios):
            known.append(ratio)
        states = (third or first or {}).get("states", "")
        cells = [f"{ratio:.2f}" if ratio else "" for ratio in pair]
        times = " | ".join(shown(seconds) for seconds in (default, sound, ours))
        lines.append(f"| {os.path.basename(name)} | {constants} | {states} | {times} | {' | '.join(cells)} |")
        value = lambda run, key: (run or {}).get(key, "")
        writer.writerow([name, constants, question, states, default, sound, ours, value(first, "value"),
                         value(second, "value"), value(third, "lower"), value(third, "upper")])
    means = [geometric_mean(of) for of in ratios]
    lines.append("| geometric mean | | | | | | " + " | ".join(f"**{m:.2f}**" if m else "" for m in means) + " |")
    head = [
        "# Storm and Bughound on models with probabilities",
        "",
        f"- {datetime.date.today().isoformat()}; stormpy {version}; Bughound built from {common.built_from(options.binary, binary)}",
        f"- {common.machine()[0]}",
        f"- {options.runs} runs, alternating; median CPU seconds to read, build and answer one question",
        "- Storm leaves out what lies behind the target, Bughound builds all states",
        "",
    ]
    text = "\n".join(head + lines) + "\n"
    if options.dry:
        print("\n" + text)
        return
    common.keep_beside(table.getvalue(), "storm", "csv")
    common.keep(text, "storm")


if __name__ == "__main__":
    main()
