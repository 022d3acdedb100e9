"""Options shared by verbs that start programs."""

import shlex
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import rich_click as click

from linkworth.cli.known_name import KnownName
from linkworth.cli.number import Number
from linkworth.cli.output import answer, console, emit_json
from linkworth.model.number_range import TIMEOUT_SECONDS
from linkworth.model.workload import Workload
from linkworth.mpi import apps
from linkworth.places.place import OpenPlace

_Command = TypeVar("_Command", bound=Callable[..., Any])


class LaunchCommand(click.RichCommand):
    """A verb that starts a program: everything after the program's name is the program's.

    A bundled program's name may also be followed by the verb's own options (`npb:lu.D -o lu.lwt`), unless `--`
    precedes it. Anything that is not an option of the verb remains the program's, and so does an option that both
    have (`stencil:default --iterations 50`).
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the program's name first."""
        found, _, _ = self.make_parser(ctx).parse_args(list(args))
        words = found.get("command")
        if isinstance(words, tuple | list) and words and "--" not in args and apps.is_app(words[0]):
            ctx.allow_interspersed_args = True
            ctx.ignore_unknown_options = True
            behind = len(args) - len(words) + 1
            programs, others = apps.split_options(args[behind:], apps.own_options(words[0]))
            left = super().parse_args(ctx, [*args[:behind], *others])
            ctx.params["command"] = (*ctx.params["command"], *programs)
            return left
        return super().parse_args(ctx, args)


def launch_options(command: _Command) -> _Command:
    """Add rank count, MPI, time limit, dry run, and the command itself."""
    decorators = [
        click.option("-n", "--ranks", type=click.IntRange(min=1), help="Number of ranks.  [default: the cores of the place]"),
        click.option("--mpi", metavar="NAME", help="MPI to use: a name or kind that `linkworth doctor` lists, or its folder.  "
                     "[default: the one that the program is linked with]"),
        click.option("--timeout", type=Number(TIMEOUT_SECONDS), metavar="SECONDS",
                     help="Stop everything after this wall time; what was measured is kept."),
        click.option("--dry-run", is_flag=True, help="Show what would run, and run nothing."),
        click.argument("command", metavar="COMMAND...", nargs=-1, type=KnownName("apps", mostly_files=True)),
    ]  # fmt: skip

    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def stdin_is_given() -> bool:
    """Return whether standard input is a file or a pipe that the program may read, and not the terminal."""
    return sys.stdin is not None and not sys.stdin.closed and not sys.stdin.isatty()


EXIT_CODES = {"complete": 0, "failed": 1, "aborted": 1, "killed": 4, "timeout": 4}
"""Exit codes by the state of a run: 1 the program failed, 4 (also for any other word) it was recorded only in part."""


def exit_code(state: str, verified: bool | None) -> int:
    """Return the exit code of a run's state (a word, perhaps with an explanation after a colon) and verdict."""
    return EXIT_CODES.get(state.partition(":")[0], 4) or (1 if verified is False else 0)


def show_plan(workload: Workload, mpi: str | None, opened: OpenPlace, as_json: bool, schema: str) -> int:
    """Print the command that would run in a place."""
    from linkworth.measure import plan
    from linkworth.places.batch_launcher import BatchLauncher
    from linkworth.places.job import Job

    decided = plan.plan(workload, mpi, opened, planned=True)
    job = Job(command=decided.command, ranks=workload.ranks)
    arguments = decided.launcher.arguments(job)
    script = decided.launcher.script(job) if isinstance(decided.launcher, BatchLauncher) else None
    if as_json:
        document = {"schema": schema, "workload": workload.name, "ranks": workload.ranks, "mpi": decided.mpi.name,
                    "launcher": decided.launcher.name, "arguments": arguments}  # fmt: skip
        emit_json(document | ({"script": script} if script else {}))
    elif script:
        answer(script.rstrip("\n"))
    else:
        console().print(shlex.join(arguments))
    return 0
