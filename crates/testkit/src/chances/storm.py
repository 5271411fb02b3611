"""Answers of Storm, through stormpy: exact ones where Storm has them.

FOLDER/questions has a line for each question: the name of a model, its constants, the question. The answers are written to
FOLDER/answers, a line for each question.
"""

import itertools
import sys

import stormpy


def built(exact, program, properties):
    return stormpy.build_model[stormpy.Rational if exact else float](program, properties)


def answer(model, question):
    result = stormpy.model_checking(model, question)
    (initial,) = model.initial_states
    if hasattr(result, "get_value"):
        return str(result.get_value(initial))
    return "true" if result.get_truth_values_vector().get(initial) else "false"


def answers(folder, name, rows):
    """For each question: `exact` or `about` with the answer, or why there is none."""
    file = f"{folder}/{name}.prism"
    try:
        program = stormpy.parse_prism_program(file, prism_compatibility=True)
    except Exception as error:
        return [" ".join(f"refused\t{error}".split("\n"))] * len(rows)
    found = []
    for constants, question in rows:
        why = "refused"
        for exact in (True, False):
            try:
                asked = stormpy.parse_properties(question, program)
                own, asked = stormpy.instantiate_constants(program, constants, asked)
                found.append(f"{'exact' if exact else 'about'}\t{answer(built(exact, own, asked), asked[0])}")
                break
            except Exception as error:
                why = f"refused\t{error}"
        else:
            found.append(why)
    return [" ".join(line.split("\n")) for line in found]


def main():
    folder = sys.argv[1]
    with open(f"{folder}/questions", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    with open(f"{folder}/answers", "w", encoding="utf-8") as file:
        for name, group in itertools.groupby(rows, key=lambda row: row[0]):
            for line in answers(folder, name, [row[1:] for row in group]):
                # What is written stays if Storm crashes.
                print(line, file=file, flush=True)


main()
