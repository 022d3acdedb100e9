"""Reader of the files that a batch job leaves in its folder. They can be read by a linkworth started after
the job."""

import os
from pathlib import Path

import msgspec

from linkworth.model.counters import NodeCounters
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.mpi.files import text_of
from linkworth.places.counters import difference, from_texts
from linkworth.places.job_script import COUNTED, LOWER
from linkworth.writing.documents import encode

RECORD = "job.json"
_LEFT = (RECORD, f"{RECORD}.new", "job.sh", "job.log", "paired", "nodes", "before.*", "after.*", "probe.*", "started", "stdout",
         "stderr", "finished", "end", "end.new")  # fmt: skip
"""Names of all files that a job or its submission leaves."""


class JobRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Identity of a folder's job. It is written before and right after the submission, so that the job is
    found again."""

    schema: str = "linkworth.job/1"
    system: str
    job: str
    """The empty string while it is being submitted. The batch system then knows by `token` whether it was."""
    command: list[str]
    ranks: int
    script: str = ""
    """Commands without the directives, to detect the same run."""
    token: str = ""
    element: int = 0
    """Number of the job in the array that has the token."""
    elements: int = 0
    """Elements of that array. 0: the token is the job's own."""


class JobFolder:
    """The files of one job."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.script = place / "job.sh"
        self.log = place / "job.log"
        self._offsets = {"stdout": 0, "stderr": 0}

    @property
    def record(self) -> JobRecord | None:
        """The job that was submitted from here, if any."""
        try:
            return msgspec.json.decode((self.place / RECORD).read_bytes(), type=JobRecord)
        except (OSError, *JSON_ERRORS):
            return None

    def keep(self, record: JobRecord) -> None:
        """Store the job's identity atomically."""
        fresh = self.place / f"{RECORD}.new"
        with fresh.open("wb") as file:
            file.write(encode(record))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.place / RECORD)

    def intend(self, token: str, element: int, elements: int) -> None:
        """Store the intention to submit the job as an element of an array."""
        record = self.record
        if record is not None:
            self.keep(
                msgspec.structs.replace(record, job="", token=token, element=element, elements=elements)
            )

    def clear(self) -> None:
        """Remove the files of an earlier job, and no others."""
        for pattern in _LEFT:
            for file in self.place.glob(pattern):
                if file.is_file():
                    file.unlink()

    @property
    def started(self) -> float | None:
        """Start in seconds since the epoch, by the clock of the job's first node. None if the program does
        not run yet."""
        return _number(self.place / "started")

    @property
    def seconds(self) -> float | None:
        """Run time of the program, None if it did not end."""
        started, finished = self.started, _number(self.place / "finished")
        return None if started is None or finished is None else max(finished - started, 0.0)

    @property
    def exit_code(self) -> int | None:
        """Exit code of the program's launcher, None if the job's script did not end."""
        code = _number(self.place / "end")
        return None if code is None else int(code)

    @property
    def way(self) -> int | None:
        """Index of the way that started the ranks, None if none did or none was tried yet."""
        number = _number(self.place / "paired")
        return None if number is None else int(number)

    @property
    def nodes(self) -> list[str]:
        """Names of the job's nodes."""
        return text_of(self.place / "nodes").split()

    def probe(self, number: int) -> str:
        """Output of a way's probe."""
        return text_of(self.place / f"probe.{number}")

    def new_output(self, stream: str) -> bytes:
        """Return the program's output since the last call."""
        try:
            with (self.place / stream).open("rb") as file:
                file.seek(self._offsets[stream])
                data = file.read(1 << 20)
        except OSError:
            return b""
        self._offsets[stream] += len(data)
        return data

    def counters(self) -> list[NodeCounters]:
        """Counts of the job's nodes while the program ran."""
        return difference(self._reading("before"), self._reading("after"))

    def _reading(self, when: str) -> list[NodeCounters]:
        return [
            parse_reading(file.name.removeprefix(f"{when}."), text_of(file))
            for file in sorted(self.place.glob(f"{when}.*"))
        ]

    def log_end(self) -> str:
        """Last line of the batch system's output."""
        lines = [line.strip() for line in text_of(self.log).splitlines() if line.strip()]
        return lines[-1] if lines else ""


def parse_reading(node: str, text: str) -> NodeCounters:
    """Read the counters of a node from files joined by `==> net/dev` lines."""
    parts = dict.fromkeys((*COUNTED, LOWER), "")
    current = ""
    for line in text.splitlines(keepends=True):
        if line.startswith("==> "):
            current = line[4:].strip()
        elif current in parts:
            parts[current] += line
    return from_texts(
        node,
        dev=parts["net/dev"],
        snmp=parts["net/snmp"],
        netstat=parts["net/netstat"],
        stat=parts["stat"],
        lower=parts[LOWER],
    )


def _number(path: Path) -> float | None:
    try:
        return float(text_of(path))
    except ValueError:
        return None
