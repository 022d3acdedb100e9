"""Allocation of the programs of a queue file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from linkworth import units
from linkworth.advise.allocate import explain, network_state
from linkworth.advise.allocate.highs import require_solver
from linkworth.advise.allocate.options import AllocationOption, options_of
from linkworth.advise.allocate.program import Problem
from linkworth.advise.allocate.queue import Queue, QueuedProgram, check_prices, load
from linkworth.advise.allocate.schedule import Run, cost, makespan, nodes_of
from linkworth.advise.allocate.solve import DEFAULT, Search, SolvedAllocation, best
from linkworth.model.allocation import Allocation, AllocationGoal, Choice, Placement
from linkworth.skeleton.progress import SILENT, StepProgress
from linkworth.skeleton.rates import RateRequest
from linkworth.trace.read import Allowance


def allocate(
    path: Path,
    *,
    goal: AllocationGoal | None = None,
    budget: float | None = None,
    search: Search = DEFAULT,
    state: Path | None = None,
    rates: RateRequest | None = None,
    allowed: Allowance | None = None,
    progress: StepProgress = SILENT,
) -> tuple[Queue, Allocation]:
    """Return the queue of a file and its allocation; `goal` and `budget` override the file's.

    `state` is a file with the measured utilisation of links, which predicted times take into account.

    Raises UsageError for an unusable file, EnvironmentLacksError without HiGHS, and DamagedInputError for an incomplete
    trace unless it is `allowed`.
    """
    queue = load(path)
    budget = queue.budget_usd if budget is None else budget
    goal = goal or queue.goal
    check_prices(queue, goal, budget, str(path))
    require_solver()
    progress.plan(len(queue.programs) + 1)
    busiest = network_state.load(state, queue) if state is not None else {}
    loads = {name: link.utilisation for name, link in busiest.items()}
    options = options_of(queue, path.parent, loads=loads, rates=rates, allowed=allowed, progress=progress)
    progress.step("searching for the best schedule")
    allocation = allocate_options(queue, options, goal=goal, budget=budget, search=search)
    by_program = [
        [option for option in options if option.program == number] for number in range(len(queue.programs))
    ]
    used = [_used(program, queue, own) for program, own in zip(queue.programs, by_program, strict=True)]
    warnings = (
        network_state.sentences(busiest)
        + _untouched(queue, loads, used)
        + _unused(queue, used)
        + _unlaid(queue, by_program)
    )
    warnings += [
        f"{queue.programs[option.program].name}: {warning}"
        for option in options
        for warning in option.warnings
    ]
    computed = {queue.programs[option.program].name: option.rates for option in options if option.rates}
    return queue, msgspec.structs.replace(allocation, rates=computed, warnings=list(dict.fromkeys(warnings)))


def _used(program: QueuedProgram, queue: Queue, options: Sequence[AllocationOption]) -> set[str]:
    """Return the keys of a program's known seconds that are the time of an option."""
    ways = [(queue.nodes[option.kind].name, option.nodes) for option in options]
    exact = {f"{kind}:{nodes}" for kind, nodes in ways} & {*program.seconds}
    general = {kind for kind, nodes in ways if f"{kind}:{nodes}" not in exact}
    return exact | (general & {*program.seconds})


def _unused(queue: Queue, used: Sequence[set[str]]) -> list[str]:
    """Return a sentence on each program with known seconds that no option takes."""
    return [
        f"{program.name}: its known seconds of {', '.join(unused)} are not used, since no run is considered there; check "
        "'count' and 'cores' of these nodes, and 'nodes' and 'on' of the program"
        for program, keys in zip(queue.programs, used, strict=True)
        if (unused := [key for key in program.seconds if key not in keys])
    ]


def _unlaid(queue: Queue, by_program: Sequence[Sequence[AllocationOption]]) -> list[str]:
    """Return a sentence on each program whose numbers of nodes are not all considered."""
    return [
        f"{program.name}: no run on {', '.join(map(str, left_out))} nodes is considered; check 'count' and 'cores' of "
        "the nodes, and the ranks of the program"
        for program, options in zip(queue.programs, by_program, strict=True)
        if (
            left_out := [
                number for number in program.nodes or () if all(number != option.nodes for option in options)
            ]
        )
    ]


def _untouched(queue: Queue, loads: Mapping[str, float], used: Sequence[set[str]]) -> list[str]:
    """Return a sentence if known times replace predictions that a load would have changed."""
    loaded = [name for name, load in loads.items() if load > 0]
    known = [
        program.name
        for program, keys in zip(queue.programs, used, strict=True)
        if any(key.partition(":")[0] in loaded for key in keys)
    ]
    if not known:
        return []
    return [
        f"the known seconds of {', '.join(known)} are taken as they are, whatever the state of the network"
    ]


def allocate_options(
    queue: Queue,
    options: list[AllocationOption],
    *,
    goal: AllocationGoal,
    budget: float | None,
    search: Search = DEFAULT,
) -> Allocation:
    """Return the allocation of a queue whose times are known."""
    if fault := explain.missing_options(queue, options):
        return Allocation(
            goal=goal, state="infeasible", reason=fault, choices=[], placements=[], budget_usd=budget
        )
    problem = Problem(
        options=options,
        runs=[program.runs for program in queue.programs],
        counts=[kind.count for kind in queue.nodes],
        deadlines=[
            min(
                (each for each in (program.deadline_seconds, queue.deadline_seconds) if each is not None),
                default=None,
            )
            for program in queue.programs
        ],
        budget=budget,
    )
    outcome = best(problem, goal, search)
    if outcome.state == "infeasible":
        text = explain.infeasible(queue, problem, search)
    elif outcome.state == "undecided":
        text = (
            f"no schedule was found in slots of {outcome.slot_seconds:.4g} s, and none is excluded; "
            "try more `slots` or a longer `time_limit`"
        )
    else:
        text = _reason(outcome, goal, priced=queue.priced)
    return Allocation(
        goal=goal,
        state=outcome.state,
        reason=text,
        choices=_choices(queue, problem, outcome.runs),
        placements=_placements(queue, problem, outcome.runs),
        cost_usd=cost(outcome.runs) if queue.priced else None,
        makespan_seconds=makespan(outcome.runs),
        cost_bound_usd=(outcome.cost_bound if outcome.runs else 0.0) if queue.priced else None,
        makespan_bound_seconds=outcome.makespan_bound if outcome.runs else 0.0,
        slot_seconds=outcome.slot_seconds,
        budget_usd=budget,
    )


def _reason(outcome: SolvedAllocation, goal: AllocationGoal, *, priced: bool) -> str:
    spent, end = cost(outcome.runs), makespan(outcome.runs)
    if goal == "cost":
        found = f"costs {units.significant(spent)} US$ and ends after {units.duration(end)}"
        proved = f"none costs less than {units.significant(outcome.cost_bound)} US$"
        none = "no schedule costs less"
    else:
        found = f"ends after {units.duration(end)}"
        if priced:
            found += f" and costs {units.significant(spent)} US$"
        proved = f"none ends before {units.duration(outcome.makespan_bound)}"
        none = "no schedule ends sooner"
    tail = none if outcome.state == "optimal" else f"proved so far: {proved}"
    return f"the schedule {found}; {tail}"


def _placements(queue: Queue, problem: Problem, runs: list[Run]) -> list[Placement]:
    numbers = dict.fromkeys(range(len(queue.programs)), 0)
    found = []
    for run, on in zip(runs, nodes_of(runs, problem.counts), strict=True):
        numbers[run.option.program] += 1
        found.append(
            Placement(
                program=queue.programs[run.option.program].name,
                run=numbers[run.option.program],
                nodes_of=queue.nodes[run.option.kind].name,
                nodes=run.option.nodes,
                on=on,
                start_seconds=run.start,
                end_seconds=run.end,
                cost_usd=run.option.cost_usd if queue.priced else None,
            )
        )
    return found


def _choices(queue: Queue, problem: Problem, runs: list[Run]) -> list[Choice]:
    alike: dict[tuple[int, int, int], list[Run]] = {}
    for run in runs:
        alike.setdefault((run.option.program, run.option.kind, run.option.nodes), []).append(run)
    found = []
    for (program, kind, nodes), group in sorted(alike.items()):
        option = group[0].option
        found.append(
            Choice(
                program=queue.programs[program].name,
                runs=len(group),
                nodes_of=queue.nodes[kind].name,
                fabric=queue.nodes[kind].fabric,
                nodes=nodes,
                ranks=option.ranks,
                seconds=option.seconds,
                cost_usd=sum(run.option.cost_usd for run in group) if queue.priced else None,
                first_start_seconds=min(run.start for run in group),
                last_end_seconds=max(run.end for run in group),
                deadline_seconds=problem.deadlines[program],
            )
        )
    return found
