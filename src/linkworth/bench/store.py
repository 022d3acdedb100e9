"""Files of results: one result, or a set of them; each is written by atomic rename."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from linkworth.errors import UsageError
from linkworth.model.bench import BenchResult, BenchSet
from linkworth.model.json_errors import JSON_ERRORS, in_words
from linkworth.reading import read_bytes
from linkworth.writing.documents import encode
from linkworth.writing.files import require_writable, unwritable, write_atomically


def document(results: Sequence[BenchResult]) -> BenchResult | BenchSet:
    """Return one result unchanged, and several as a set."""
    return results[0] if len(results) == 1 else BenchSet(results=list(results))


def read(path: Path) -> list[BenchResult]:
    """Read the results of a file of ours (`measure.parsers.bench` also reads other tools'). Raises UsageError."""
    try:
        content = read_bytes(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    try:
        schema = msgspec.json.decode(content, type=dict[str, msgspec.Raw]).get("schema", msgspec.Raw(b'""'))
        name = msgspec.json.decode(schema, type=str)
        if name == "linkworth.bench/1":
            return [msgspec.json.decode(content, type=BenchResult)]
        if name == "linkworth.bench-set/1":
            return msgspec.json.decode(content, type=BenchSet).results
    except JSON_ERRORS as error:
        raise UsageError(f"{path}: not a result of linkworth bench: {in_words(error)}") from None
    raise UsageError(
        f"{path}: its schema is {name or 'not given'}; linkworth bench reads linkworth.bench/1 and linkworth.bench-set/1"
    )


class ResultFile:
    """A file to which results are added; its earlier results stay, also those that another process added meanwhile."""

    def __init__(self, path: Path) -> None:
        """Raises UsageError if it cannot be written or is no file of results."""
        self.path = path
        self._results = read(path) if path.exists() else []
        require_writable(path)

    def check_mpi(self, library: str) -> None:
        """Raise UsageError if the file has results of another MPI library: a fabric is fitted to one."""
        others = [result.mpi for result in self._results if result.mpi and result.mpi != library]
        if others:
            raise UsageError(
                f"{self.path} has results of {others[0]}, and the new ones come from {library}; a fabric is fitted to "
                "one MPI, so choose another file"
            )

    def add(self, result: BenchResult) -> None:
        """Store one more result. Raises UsageError or EnvironmentLacksError if it cannot be written."""
        with _alone(self.path):
            if self.path.exists():
                self._results = read(self.path)
            self._results.append(result)
            content = encode(document(self._results), indent=2)
            try:
                write_atomically(self.path, content)
            except OSError as error:
                raise unwritable(self.path, error) from None


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other processes that add results in the same folder out, where its file system has locks."""
    with ExitStack() as stack:
        with suppress(OSError):
            folder = os.open(path.resolve().parent, os.O_RDONLY)
            stack.callback(os.close, folder)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
