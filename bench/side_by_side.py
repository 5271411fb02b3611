"""What the comparisons with SPIN share: timing, the program under test, the machine."""

import datetime
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def timed(command, folder, codes=(0,)):
    """Runs a command; its standard output and the user CPU time of itself and its children, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode not in codes:
        sys.exit(f"{' '.join(command)} failed with code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout, seconds


class Run:
    """What a command printed and took: CPU and wall-clock seconds, and the most memory, in bytes."""

    def __init__(self, output, user, wall, peak):
        self.output, self.user, self.wall, self.peak = output, user, wall, peak


def measured(command, folder, codes=(0,)):
    """Runs a command by itself and measures it."""
    start = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as out:
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        out.seek(0)
        output = out.read()
    if child.returncode not in codes:
        sys.exit(f"{' '.join(command)} failed with code {child.returncode}\n{output}")
    return Run(output, usage.ru_utime, wall, usage.ru_maxrss * 1024)


def output_of(command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def machine():
    cpu = "unknown processor"
    memory = ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            cpu = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), cpu)
        with open("/proc/meminfo", encoding="utf-8") as file:
            kilobytes = next(int(line.split()[1]) for line in file if line.startswith("MemTotal"))
            memory = f"{kilobytes / 2**20:.0f} GiB"
    except (OSError, StopIteration):
        pass
    return [
        f"{cpu}, {os.cpu_count()} cores, {memory}, {platform.system()} {platform.release()}",
        output_of(["rustc", "--version"]),
        (output_of(["gcc", "--version"]).splitlines() or [""])[0],
        output_of(["spin", "-V"]),
    ]


def need_spin():
    """Ends here if SPIN or a C compiler is missing."""
    for program in ["spin", "gcc"]:
        if not shutil.which(program):
            sys.exit(f"skipped: {program} is not installed")


def program(given):
    """The path of the program to time: the given one, or one that is built now."""
    if not given:
        subprocess.run(["cargo", "build", "--release", "-p", "bughound"], cwd=ROOT, check=True)
        target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
        given = os.path.join(target, "release", "bughound")
    return os.path.abspath(given)


def built_from(given, binary):
    """Which commit it was built from, as far as is known."""
    if given:
        # Nothing says that this binary was built from what is checked out now.
        built = datetime.datetime.fromtimestamp(os.path.getmtime(binary)).strftime("%Y-%m-%d %H:%M")
        return f"not known: a binary built on {built} was given"
    commit = output_of(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"])
    if output_of(["git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"]):
        commit += " with local changes"
    return commit


def keep_beside(text, name, ending):
    """Writes what belongs to a result to the folder of results."""
    path = os.path.join(ROOT, "bench", "results", f"{datetime.date.today().isoformat()}-{name}.{ending}")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def keep(text, name):
    """Prints a result and writes it to the folder of results."""
    print("\n" + text)
    keep_beside(text, name, "md")
    print(f"written to bench/results (…-{name}.md)")
