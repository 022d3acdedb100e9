"""Group of verbs: loads a verb's file on use, and turns every error into one sentence and an exit code."""

import difflib
import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

import rich_click as click
from click.exceptions import Exit

from linkworth import __version__, interrupts
from linkworth.cli import parameter_names
from linkworth.cli.group import VerbGroup
from linkworth.cli.output import news, note, refused_answer, silence
from linkworth.errors import LinkworthError
from linkworth.mpi import progress

VERBS = {
    "demo": "record three programs here and choose a network for each",
    "doctor": "what is here, what is missing, how to get it",
    "apps": "bundled programs",
    "fabrics": "known networks",
    "machines": "known machines",
    "prices": "known prices",
    "lab": "an emulated cluster on this machine",
    "run": "run a program and measure it",
    "trace": "run a program and record it",
    "profile": "where the time of a recorded program goes",
    "bench": "measure a network",
    "calibrate": "a network fitted to measured micro-benchmarks",
    "convert": "a trace for other tools",
    "predict": "time on other networks",
    "scale": "a recorded program on more ranks than it was recorded on",
    "sweep": "one program over many networks, nodes and placements",
    "advise": "which network to choose",
    "study": "many programs in many environments, from one file",
    "allocate": "which programs of a queue run on which nodes",
    "report": "one HTML page of traces, predictions and prices",
}


_EXAMPLES = {
    "--on": " Name a network with --on, such as gbe, 10gbe, 100gbe, ib-hdr or ib-ndr (all: linkworth fabrics)."
}
"""Examples to print for a missing option."""


VERB_PANELS = {
    "Begin": ("demo", "doctor"),
    "Run and record a program": ("run", "trace", "profile", "convert"),
    "Measure a network": ("bench", "calibrate", "lab"),
    "Predict and choose": ("scale", "predict", "sweep", "advise", "allocate", "report"),
    "Many programs and environments": ("study",),
    "What is known": ("apps", "fabrics", "machines", "prices"),
}
"""Verbs as grouped on the help page."""


class LazyVerbGroup(VerbGroup):
    """Imports `linkworth.cli.<verb>` only when that verb is used, so that every call starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of a user's work."""
        return list(VERBS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb at the start of the arguments, with the page of its help arranged if it is asked for."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and command is not None and not {"--help", "-h"}.isdisjoint(rest):
            from linkworth.cli.help_page import arranged

            command = arranged(command, name)
        if command is not None:
            parameter_names.use(command)
        return name, command, rest

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the verb's command, or None for an unknown verb."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"linkworth.cli.{cmd_name}")
        command: click.Command = module.command
        command.name = cmd_name
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options, of which some print a page. Exit with 0 if its reader has enough."""
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError:
            silence(sys.stdout)
            raise Exit(0) from None

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 (that of click)
        """Call the verb. Return 0 if the reader of its answer has enough; click's own exit code for that is 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            silence(sys.stdout)
            return 0


def _panelled(group: click.Command) -> click.Command:
    for title, verbs in VERB_PANELS.items():
        group = click.command_panel(title, commands=list(verbs))(group)
    return group


@_panelled
@click.group(cls=LazyVerbGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="linkworth")
def cli() -> None:
    """Record an MPI program once, and learn its time, efficiency and cost on every other network."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code (the contract: 0, 1, 2, 3 or 4)."""
    if not _has_streams():
        note("linkworth: standard output is closed; send it to a file, a pipe or /dev/null")
        return 3
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    progress.announce_to(news)
    with interrupts.raised_again(), interrupts.terminate_as_interrupt():
        code = _run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError) and code == 0:
            note(f"linkworth: {refused_answer(error)}")
            code = 3
        silence(sys.stdout)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        result = cli.main(args=arguments, prog_name="linkworth", standalone_mode=False)
    except Exit as stop:
        return stop.exit_code
    except click.Abort:
        note("linkworth: interrupted")
        return 4
    except click.NoSuchOption as error:
        near = difflib.get_close_matches(error.option_name, error.possibilities or (), n=1, cutoff=0.75)
        note(f"linkworth: there is no option {error.option_name}; {_instead(near, error.ctx)}")
        return 2
    except click.MissingParameter as error:
        note(f"linkworth: {_missing(error)}")
        return 2
    except click.ClickException as error:
        # Click names the type of the option, and a number is not "a valid integer range".
        note(f"linkworth: {error.format_message().replace('valid integer range', 'valid integer')}")
        return 2
    except LinkworthError as error:
        note(f"linkworth: {error}")
        return error.exit_code
    except MemoryError:
        note(
            "linkworth: there is not enough memory for this; give fewer ranks, or work where more memory is free"
        )
        return 3
    except OSError as error:
        # No verb handles this error itself.
        what = os.fsdecode(error.filename) if error.filename else "the system refused an operation"
        note(f"linkworth: {what}: {error.strerror or error}")
        return 2 if error.errno in {errno.ENAMETOOLONG, errno.EACCES, errno.EROFS} else 3
    return result if isinstance(result, int) else 0


def _missing(error: click.MissingParameter) -> str:
    missing, context = error.param, error.ctx
    if isinstance(missing, click.Argument) and context is not None:
        return f"give {missing.make_metavar(context)}; {context.command_path} --help explains it"
    example = _EXAMPLES.get(missing.opts[0], "") if missing is not None else ""
    return f"{error.format_message()}{example}"


def _instead(near: Sequence[str], context: click.Context | None) -> str:
    if near:
        return f"did you mean {near[0]}?"
    return f"{context.command_path} --help lists them" if context is not None else "--help lists them"


def _has_streams() -> bool:
    """Replace closed standard streams by the null device; return whether standard output was open.

    Otherwise the next opened file would take the number of a closed stream, and receive the ranks' output.
    """
    closed = []
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            closed.append(number)
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (it stays open)
    return 1 not in closed
