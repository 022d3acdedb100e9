"""Where a verb's answer goes: one JSON document, or a table for a person."""

import os
import sys

import click
import msgspec
from rich.console import Console

FILE_WIDTH = 400
"""Columns where the output is no terminal: wide enough that no table is cut."""


SCREEN_WIDTH, SCREEN_HEIGHT = 100, 41
"""Columns and lines of a common terminal, the last one the shell's."""


def emit_json(document: msgspec.Struct | dict[str, object]) -> None:
    """Print exactly one JSON document on standard output."""
    click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())


def console() -> Console:
    """Return a console on standard output (tables); plain where it is no terminal or NO_COLOR is set."""
    terminal = sys.stdout.isatty()
    return Console(
        file=sys.stdout, soft_wrap=not terminal, width=None if terminal else FILE_WIDTH, highlight=False
    )


def screen_console() -> Console:
    """Return a console for an answer that fits one screen: the terminal's, or one of a common size where there is none."""
    if sys.stdout.isatty():
        return Console(file=sys.stdout, highlight=False)
    return Console(file=sys.stdout, width=SCREEN_WIDTH, height=SCREEN_HEIGHT, highlight=False)


def is_live() -> bool:
    """Say whether standard error is a terminal that can show what changes in place."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def note(message: str) -> None:
    """Print a remark on standard error, so that standard output stays the answer alone."""
    click.echo(message, err=True)


def news(sentence: str) -> None:
    """Print how things go on standard error."""
    note(f"linkworth: {sentence}")
