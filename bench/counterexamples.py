#!/usr/bin/env python3
"""Bounds at half of the value: Bughound on the fly beside Storm, which builds the model and checks it.

usage: counterexamples.py BUGHOUND MODELS [--runs N]

MODELS is the folder with PRISM's benchmarks (crowds.pm, nand.pm, brp.pm, leader_sync*.pm). Storm is used through its
Python package, in this process; its times are those of parsing, building and checking, without starting Python. Bughound's are
those of the whole program. Both run alternately; medians of CPU seconds. Prints a table in Markdown.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import time

ROWS = [
    ("crowds.pm", "TotalRuns=3,CrowdSize=10", "observe0>1"),
    ("crowds.pm", "TotalRuns=5,CrowdSize=5", "observe0>1"),
    ("crowds.pm", "TotalRuns=4,CrowdSize=5", "observe0>1"),
    ("crowds.pm", "TotalRuns=5,CrowdSize=10", "observe0>1"),
    ("nand.pm", "N=5,K=2", "s=4 & z/N<0.1"),
    ("nand.pm", "N=20,K=2", "s=4 & z/N<0.1"),
    ("brp.pm", "N=16,MAX=2", "s=5"),
    ("brp.pm", "N=64,MAX=5", "s=5"),
    ("leader_sync4_4.pm", "", '"elected"'),
    ("leader_sync5_4.pm", "", '"elected"'),
]


def storm(path, constants, target):
    import stormpy

    started = time.process_time()
    program = stormpy.parse_prism_program(path)
    questions = stormpy.parse_properties(f"P=? [ F {target} ]", program)
    program, questions = stormpy.instantiate_constants(program, constants, questions)
    model = stormpy.build_model(program, questions)
    value = float(stormpy.model_checking(model, questions[0]).get_value(list(model.initial_states)[0]))
    return value, time.process_time() - started


def bughound(program, path, constants, query):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "check", path, "--json", "--query", query] + (["--const", constants] if constants else [])
    run = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(run.stdout)["properties"][0], taken


def states(program, path, constants):
    command = [program, "explore", path, "--json"] + (["--const", constants] if constants else [])
    return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["stats"]["stored"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("models")
    arguments.add_argument("--runs", type=int, default=3)
    given = arguments.parse_args()
    print("| model | constants | bound | all states | generated | share | subsystem | Bughound s | Storm s | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for model, constants, target in ROWS:
        path = os.path.join(given.models, model)
        if not os.path.exists(path):
            continue
        value, _ = storm(path, constants, target)
        bound = f"{value / 2:.3g}"
        whole = states(given.program, path, constants)
        ours, theirs = [], []
        for _ in range(given.runs):
            found, taken = bughound(given.program, path, constants, f"P<={bound} [ F {target} ]")
            ours.append(taken)
            theirs.append(storm(path, constants, target)[1])
        assert found["verdict"] == "violated", found["verdict"]
        seen = found["stats"]["stored"]
        size = len(found["counterexample"]["states"])
        mine, other = statistics.median(ours), statistics.median(theirs)
        print(
            f"| {model} | {constants} | {bound} | {whole} | {seen} | {100 * seen / whole:.1f} % | {size} "
            f"| {mine:.2f} | {other:.2f} | {mine / other:.2f} |",
            flush=True,
        )


main()
