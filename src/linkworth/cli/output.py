"""Output of a verb's answer: one JSON document, or a table for a person.

Everything that linkworth prints passes here. No printed name can control the terminal.
"""

import contextlib
import errno
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar, cast

import click
import msgspec
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from linkworth.cli.parameter_names import spelled
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.writing.documents import encode
from linkworth.writing.files import STANDARD_OUTPUT, is_stream, unwritable
from linkworth.writing.text import printable, sentence

D = TypeVar("D", bound=msgspec.Struct | Mapping[str, object])
FILE_WIDTH = 400
"""Columns without a terminal: wide enough that no table is cut."""


SCREEN_WIDTH, SCREEN_HEIGHT = 100, 41
"""Columns and lines of a common terminal, without the shell's last line."""

_KEPT = {
    "a trace": re.compile(rb"LWTRACE"),
    "a measurement": re.compile(rb'\{\s*"schema":\s*"linkworth\.(bench|bench-set|startup)/|\[\[machines\]\]'),
}
"""First bytes of files that nothing else brings back."""
_LONGEST_START = 100
_TAKEN = "linkworth.standard_output_is_taken"


class OutputFile(click.Path):
    """A file to write. `-` is standard output; the verb's other messages then go to standard error.

    What was recorded or measured is replaced only if the verb asks for it (`--force`). `adds`: the verb adds to measurements.
    """

    def __init__(self, *, or_folder: bool = False, adds: bool = False) -> None:
        super().__init__(path_type=Path, dir_okay=or_folder, allow_dash=True)
        self._adds = adds

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401
        """Return the path."""
        if value == "-" or value == str(STANDARD_OUTPUT):
            if ctx is not None and ctx.meta.setdefault(_TAKEN, param) is not param:
                self.fail("standard output takes one file only", param, ctx)
            return STANDARD_OUTPUT
        path = cast(Path, super().convert(value, param, ctx))
        try:
            path.exists()
        except OSError as error:
            raise unwritable(path, error, (param and param.name) or "output") from None
        asks = ctx is not None and any(each.name == "force" for each in ctx.command.params)
        if not asks:
            refuse_loss(path, measured=not self._adds)
        return path


def refuse_loss(path: Path, *, measured: bool = True) -> None:
    """Raise UsageError if a file to write is a trace or, if `measured`, a measurement."""
    if not path.is_file():  # a pipe would be waited for
        return
    try:
        with path.open("rb") as stream:
            start = stream.read(_LONGEST_START)
    except OSError:
        return
    for what, pattern in _KEPT.items():
        if pattern.match(start) and (measured or what == "a trace"):
            raise UsageError(f"{path} is {what}, which would be lost; choose another name, or remove it")


PROGRAM_TO_STDERR = "; the program's output goes to stderr"
"""Help on options of verbs that run a program: standard output is for the answer alone."""


def json_option(name: str, more: str = "") -> Callable[[Any], Any]:
    """Return the option --json of a verb that prints linkworth.NAME/1. `more`: the rest of its help."""
    return click.option(
        "--json", "as_json", is_flag=True, help=f"Print one JSON document (linkworth.{name}/1){more}."
    )


def require_new(output: Path, *, force: bool) -> None:
    """Raise UsageError if a file to write exists, unless `force`: the next verb would read the old one."""
    if output.exists() and not is_stream(output) and not force:
        raise UsageError(f"{output} exists; choose another name with -o, or replace it with --force")


class OutputFolder(click.Path):
    """A folder to write."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401
        """Return the path."""
        if value == "-":
            self.fail("a folder is written, which standard output cannot be; give its name", param, ctx)
        return cast(Path, super().convert(value, param, ctx))


class SafeConsole(Console):
    """A console that prints text unchanged: no markup, and control characters as `\\xNN`."""

    def __init__(self, file: TextIO, **options: Any) -> None:  # noqa: ANN401 (those of Console)
        super().__init__(file=file, markup=False, emoji=False, highlight=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401 (those of Console)
        """Return the text of a string, with its printed width."""
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the printed segments."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))

    def on_broken_pipe(self) -> None:
        """Let the command line end the verb; that of Console exits with 1."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    def print(self, *objects: Any, **options: Any) -> None:  # noqa: ANN401 (those of Console)
        """Print the objects. Raises EnvironmentLacksError if the file accepts no more."""
        with _answering():
            super().print(*objects, **options)


def answer_to_stderr() -> bool:
    """Return whether an option names standard output as its file."""
    context = click.get_current_context(silent=True)
    return context is not None and _TAKEN in context.meta


def emit_json(document: msgspec.Struct | Mapping[str, object]) -> None:
    """Print exactly one JSON document."""
    text = encode(document, indent=2).decode()
    # JSON allows these characters, but a terminal obeys them.
    answer(re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def show(document: D, as_json: bool, table: Callable[[D], RenderableType]) -> None:
    """Print a document as JSON or as a table."""
    if as_json:
        emit_json(document)
    else:
        console().print(table(document))


def answer(text: str) -> None:
    """Print a text as the verb's answer."""
    with _answering():
        click.echo(printable(text), err=answer_to_stderr())


def console() -> SafeConsole:
    """Return a console for tables; plain if it is no terminal or NO_COLOR is set."""
    file = _answer_file()
    terminal = file.isatty()
    return SafeConsole(file, soft_wrap=not terminal, width=None if terminal else FILE_WIDTH)


def screen_console() -> SafeConsole:
    """Return a console for an answer that fits one screen: the terminal's, or one of a common size."""
    file = _answer_file()
    if file.isatty():
        return SafeConsole(file)
    return SafeConsole(file, width=SCREEN_WIDTH, height=SCREEN_HEIGHT)


def is_live() -> bool:
    """Return whether standard error is a terminal that can update in place."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def note(message: str) -> None:
    """Print a remark on standard error, so that standard output has only the answer. Its failure never ends a verb.

    A terminal gets lines of its width. Elsewhere a remark is one line, for `grep` and for logs.
    """
    text = sentence(spelled(message))
    try:
        click.echo(_wrapped(text) if sys.stderr.isatty() else text, err=True)
    except OSError:
        silence(sys.stderr)


def _wrapped(text: str) -> str:
    """Return the text in lines of the terminal's width. Paths and commands stay whole, to be copied."""
    width = SafeConsole(sys.stderr).width
    return "\n".join(
        textwrap.fill(line, width, replace_whitespace=False, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )


def warn(sentences: Iterable[str]) -> None:
    """Print warnings on standard error."""
    for sentence_ in sentences:
        note(f"linkworth: warning: {sentence_}")


def news(event: str) -> None:
    """Print an event on standard error."""
    note(f"linkworth: {event}")


def silence(stream: TextIO | BinaryIO) -> None:
    """Discard the further output of a stream that accepts no more, and its buffer."""
    with contextlib.suppress(OSError, ValueError), Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def refused_answer(error: OSError) -> str:
    """Return the sentence on an answer that could not be printed."""
    return f"cannot write standard output: {error.strerror}; what was asked for is not all there"


@contextlib.contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise EnvironmentLacksError(refused_answer(error)) from None


def _answer_file() -> TextIO:
    return sys.stderr if answer_to_stderr() else sys.stdout
