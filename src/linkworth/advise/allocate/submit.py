"""Allocation for Slurm: sbatch lines, or a job_submit.lua that sets each job's constraint by its name."""

import math
import shlex

from linkworth.advise.allocate.queue import NodeKind, Queue
from linkworth.errors import UsageError
from linkworth.model.allocation import Allocation

TIME_MARGIN = 1.5
"""Factor of `--time` over the expected time: Slurm ends longer jobs, and a prediction may be short."""
NICE_STEP = 10


def sbatch_lines(queue: Queue, allocation: Allocation) -> list[str]:
    """Return a line for all runs of a program on one kind and number of nodes, in the order of their first starts.

    Slurm starts jobs itself: `--nice` grows with the order, so that jobs of the same priority keep it. On whole nodes
    srun spreads the ranks evenly, as they are predicted. Otherwise it fills one node after another, beside other jobs.
    A program without `command` is a UsageError.
    """
    programs = {program.name: program for program in queue.programs}
    kinds = {kind.name: kind for kind in queue.nodes}
    lines = []
    in_order = sorted(allocation.choices, key=lambda choice: (choice.first_start_seconds, choice.program))
    for place, choice in enumerate(in_order):
        command = programs[choice.program].command
        if command is None:
            raise UsageError(
                f'`as` sbatch: program {choice.program} has no command; add command = "..." to its entry'
            )
        kind = kinds[choice.nodes_of]
        words = ["sbatch", f"--job-name={choice.program}"]
        words += [f"--array=1-{choice.runs}"] if choice.runs > 1 else []
        words += [f"--nodes={choice.nodes}", f"--ntasks={choice.ranks}", "--exclusive"]
        words += [f"--constraint={_feature(kind)}"]
        words += [f"--partition={kind.partition}"] if kind.partition else []
        words += [f"--time={_clock(choice.seconds * TIME_MARGIN)}", f"--nice={place * NICE_STEP}"]
        words.append(f"--wrap=srun {command}")
        lines.append(shlex.join(words))
    return lines


def job_submit(queue: Queue, allocation: Allocation) -> str:
    """Return a job_submit.lua that gives a job named like a program the constraint of the program's nodes, and whole nodes.

    A job with its own constraint keeps it. If a program's runs are on several kinds, they may run on any (`a|b`).
    """
    kinds = {kind.name: kind for kind in queue.nodes}
    rules = []
    for name in dict.fromkeys(choice.program for choice in allocation.choices):
        mine = [choice for choice in allocation.choices if choice.program == name]
        features = "|".join(dict.fromkeys(_feature(kinds[choice.nodes_of]) for choice in mine))
        numbers = [choice.nodes for choice in mine]
        rules.append(
            f"   [{_lua(name)}] = {{ features = {_lua(features)}, min_nodes = {min(numbers)}, max_nodes = {max(numbers)} }},"
        )
    return "\n".join(
        [
            "-- Written by 'linkworth allocate'. Put it where slurm.conf's JobSubmitPlugins=lua looks",
            "-- (job_submit.lua beside slurm.conf), or copy the table and the rule into yours.",
            "local linkworth = {",
            *rules,
            "}",
            "",
            "function slurm_job_submit(job_desc, part_list, submit_uid)",
            "   local rule = linkworth[job_desc.name]",
            '   if rule ~= nil and (job_desc.features == nil or job_desc.features == "") then',
            "      job_desc.features = rule.features",
            "      job_desc.min_nodes = rule.min_nodes",
            "      job_desc.max_nodes = rule.max_nodes",
            "      job_desc.shared = 0 -- a run has its nodes for itself",
            '      slurm.log_info("linkworth: job %s gets constraint %s", job_desc.name, rule.features)',
            "   end",
            "   return slurm.SUCCESS",
            "end",
            "",
            "function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)",
            "   return slurm.SUCCESS",
            "end",
            "",
            "return slurm.SUCCESS",
        ]
    )


def _feature(kind: NodeKind) -> str:
    return kind.constraint or kind.name


def _clock(seconds: float) -> str:
    """Return hours, minutes and seconds as HH:MM:SS, at least a minute."""
    whole = max(60, math.ceil(seconds))
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _lua(text: str) -> str:
    """Return a Lua string: printable ASCII unchanged, the rest as decimal escapes of its UTF-8 bytes."""
    return (
        '"'
        + "".join(
            chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03d}"
            for byte in text.encode()
        )
        + '"'
    )
