"""TChecker beside Bughound: the same models in its language, and what its covering reachability counts and takes."""

import re
import shutil

from side_by_side import measured


def fischer(n):
    """models/timed/fischer.xta."""
    lines = ["system:fischer", "event:tau", f"int:1:0:{n}:0:lock"]
    for i in range(1, n + 1):
        edges = [
            ("idle", "request", "provided: lock==0 : do: x=0"),
            ("request", "wait", f"provided: x<=2 : do: lock={i};x=0"),
            ("wait", "cs", f"provided: lock=={i} && x>2"),
            ("wait", "request", "provided: lock==0 : do: x=0"),
            ("cs", "idle", "do: lock=0"),
        ]
        lines += [f"process:P{i}", f"clock:1:x{i}", f"location:P{i}:idle{{initial:}}"]
        lines += [f"location:P{i}:request{{invariant: x{i}<=2}}", f"location:P{i}:wait{{}}", f"location:P{i}:cs{{}}"]
        lines += [f"edge:P{i}:{source}:{target}:tau{{{own(text, i)}}}" for source, target, text in edges]
    return "\n".join(lines) + "\n"


def csmacd(n):
    """models/timed/csma_cd_faulty.xta: a signal takes S = 26, a message L = 808."""
    events = ["tau", "begin", "end", "busy", "hear", *[f"collision{i}" for i in range(1, n + 1)]]
    lines = ["system:csmacd", *[f"event:{event}" for event in events]]
    lines += ["process:Bus", "clock:1:y", f"int:1:1:{n + 1}:1:next", "location:Bus:idle{initial:}", "location:Bus:active{}"]
    lines += ["location:Bus:collided{invariant: y<26}", "location:Bus:telling{committed:}"]
    edges = [
        ("idle", "active", "begin", "do: y=0"),
        ("active", "idle", "end", "do: y=0"),
        ("active", "active", "busy", "provided: y>=26"),
        ("active", "collided", "begin", "provided: y<26 : do: y=0"),
        ("collided", "telling", "tau", "provided: y<26 : do: next=1"),
        ("telling", "idle", "tau", f"provided: next=={n + 1} : do: y=0;next=1"),
        *[("telling", "telling", f"collision{i}", f"provided: next=={i} : do: next=next+1") for i in range(1, n + 1)],
    ]
    lines += [f"edge:Bus:{source}:{target}:{event}{{{text}}}" for source, target, event, text in edges]
    for i in range(1, n + 1):
        edges = [
            ("waiting", "sending", "begin", "do: x=0"),
            ("waiting", "retrying", "busy", "do: x=0"),
            ("waiting", "waiting", "hear", "do: x=0"),
            ("waiting", "retrying", "hear", "do: x=0"),
            ("sending", "waiting", "end", "provided: x==808 : do: x=0"),
            ("sending", "retrying", "hear", "provided: x<26 : do: x=0"),
            ("retrying", "sending", "begin", "provided: x<52 : do: x=0"),
            ("retrying", "retrying", "busy", "provided: x<52 : do: x=0"),
            ("retrying", "retrying", "hear", "provided: x<52 : do: x=0"),
        ]
        lines += [f"process:S{i}", f"clock:1:x{i}", f"location:S{i}:waiting{{initial:}}"]
        lines += [f"location:S{i}:sending{{invariant: x{i}<=808}}", f"location:S{i}:retrying{{invariant: x{i}<52}}"]
        lines += [f"edge:S{i}:{source}:{target}:{event}{{{own(text, i)}}}" for source, target, event, text in edges]
        lines += [f"sync:Bus@{event}:S{i}@{event}" for event in ("begin", "busy", "end")]
        lines.append(f"sync:Bus@collision{i}:S{i}@hear")
    return "\n".join(lines) + "\n"


def own(text, number):
    """The clock of a process is its own."""
    return re.sub(r"\bx\b", f"x{number}", text)


MODELS = {"fischer": fischer, "csmacd": csmacd}


def is_there():
    return shutil.which("tck-reach") is not None


def explored(family, n, folder):
    """Stored and visited states, transitions, and the run; nothing if there is no model for it."""
    if family not in MODELS:
        return None
    with open(f"{folder}/{family}.tck", "w", encoding="utf-8") as file:
        file.write(MODELS[family](n))
    run = measured(["tck-reach", "-a", "covreach", "-s", "bfs", f"{family}.tck"], folder)
    count = {name: int(value) for name, value in re.findall(r"^([A-Z_]+) (\d+)$", run.output, re.M)}
    return count["STORED_STATES"], count["VISITED_STATES"], count["VISITED_TRANSITIONS"], run
