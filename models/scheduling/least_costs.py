#!/usr/bin/env python3
"""The least costs of the models in this folder, by plain enumeration.

Knows nothing of timed automata, zones or searches of Bughound: every problem is stated once more as a list of numbers,
and all schedules that can be best are tried. Prints one line for each model; the headers of the models quote it.

    python3 models/scheduling/least_costs.py
"""

import heapq
import itertools

# jobshop.xta: for each job its operations in order, (machine, duration).
JOBS = [
    [(0, 4), (1, 3), (2, 2)],
    [(1, 2), (0, 5), (2, 3)],
    [(2, 6), (1, 1), (0, 2)],
]


def job_shop(jobs):
    """The least makespan. Every order in which operations can be started, each as early as it can then be: among these
    schedules (the semi-active ones) is a best one."""
    best = None
    names = [job for job, operations in enumerate(jobs) for _ in operations]
    for order in set(itertools.permutations(names)):
        next_of, job_free, machine_free = [0] * len(jobs), [0] * len(jobs), {}
        for job in order:
            machine, duration = jobs[job][next_of[job]]
            end = max(job_free[job], machine_free.get(machine, 0)) + duration
            next_of[job] += 1
            job_free[job] = machine_free[machine] = end
        if best is None or max(job_free) < best:
            best = max(job_free)
    return best


# landing.xta: earliest, target, latest, cost per unit of time before and after the target.
PLANES = [(4, 10, 30, 3, 5), (6, 11, 30, 2, 4), (7, 12, 26, 4, 6), (9, 13, 34, 1, 2), (10, 14, 28, 5, 3)]
SEPARATION = [
    [0, 3, 5, 3, 5],
    [4, 0, 5, 3, 5],
    [2, 2, 0, 2, 3],
    [4, 3, 5, 0, 5],
    [2, 2, 3, 2, 0],
]


def landing(planes, separation, runways):
    """All whole times of landing (costs are linear and all numbers whole, so some best schedule has whole times), all
    runways; any two planes on one runway keep their distance, whether another lands between them or not."""
    best = [None]

    def place(at, landed, cost):
        if best[0] is not None and cost >= best[0]:
            return
        if at == len(planes):
            best[0] = cost
            return
        earliest, target, latest, early, late = planes[at]
        for time in sorted(range(earliest, latest + 1), key=lambda t: max((target - t) * early, (t - target) * late)):
            more = max((target - time) * early, (time - target) * late)
            for runway in range(runways):
                def apart(other):
                    other_time, other_runway = landed[other]
                    if other_runway != runway:
                        return True
                    return time - other_time >= separation[other][at] or other_time - time >= separation[at][other]

                if all(apart(other) for other in range(at)):
                    place(at + 1, landed + [(time, runway)], cost + more)

    place(0, [], 0)
    return best[0]


# bridge.xta
PACE = [2, 3, 7, 9]
NEAR_RATE = 1
RELIGHT = 4


def bridge(pace, near_rate, relight):
    """Dijkstra's algorithm over who is on the far side. Time costs 1, and `near_rate` for each person who has not yet
    crossed at that time, those who walk included; each walk back costs `relight` more."""
    everybody = frozenset(range(len(pace)))
    open_states, seen = [(0, 0, (frozenset(), False))], set()
    tie = itertools.count(1)
    while open_states:
        cost, _, state = heapq.heappop(open_states)
        if state in seen:
            continue
        seen.add(state)
        far, torch_is_far = state
        if far == everybody:
            return cost
        side = far if torch_is_far else everybody - far
        groups = [frozenset(group) for size in (1, 2) for group in itertools.combinations(sorted(side), size)]
        for group in groups:
            time = max(pace[person] for person in group)
            after = far - group if torch_is_far else far | group
            # Who goes back is no longer on the far side; who goes there is not yet.
            near = len(everybody - (far - group))
            step = time * (1 + near_rate * near) + (relight if torch_is_far else 0)
            heapq.heappush(open_states, (cost + step, next(tie), (after, not torch_is_far)))
    return None


# taskgraph.xta: durations on both processors, predecessors, power when busy and when idle.
DURATION = [(2, 3), (3, 5), (4, 7), (2, 3), (3, 5), (1, 2)]
BEFORE = [[], [0], [0], [1], [1, 2], [3, 4]]
BUSY, IDLE = (7, 3), (1, 0)


def task_graph(duration, before, busy, idle, deadline):
    """All assignments of tasks to processors, all orders, and for each the tasks as early as possible: the energy of work
    depends on the assignment alone, and idle power is paid until the last task ends, so early is best."""
    best = None
    tasks = range(len(duration))
    for order in itertools.permutations(tasks):
        if any(order.index(p) > order.index(t) for t in tasks for p in before[t]):
            continue
        for where in itertools.product(range(2), repeat=len(duration)):
            free, end = [0, 0], {}
            for task in order:
                begin = max([free[where[task]]] + [end[p] for p in before[task]])
                end[task] = free[where[task]] = begin + duration[task][where[task]]
            last = max(end.values())
            if last > deadline:
                continue
            cost = 0
            for processor in range(2):
                worked = sum(duration[t][processor] for t in tasks if where[t] == processor)
                cost += worked * busy[processor] + (last - worked) * idle[processor]
            if best is None or cost < best:
                best = cost
    return best


if __name__ == "__main__":
    print("jobshop.xta", job_shop(JOBS))
    print("landing.xta", landing(PLANES, SEPARATION, 2), "with one runway", landing(PLANES, SEPARATION, 1))
    print("bridge.xta", bridge(PACE, NEAR_RATE, RELIGHT), "fastest", bridge(PACE, 0, 0))
    for deadline in range(9, 26):
        print("taskgraph.xta with the deadline", deadline, task_graph(DURATION, BEFORE, BUSY, IDLE, deadline))
