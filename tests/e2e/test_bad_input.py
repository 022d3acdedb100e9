"""Whatever a user gets wrong: one clear sentence, the right exit code, no traceback, nothing lost."""

import json
import shutil
import subprocess
import time
from pathlib import Path

import gated_clock
import pytest
from command import PATIENCE, LinkworthCommand
from mpi_programs import Remaining, hanging, ranks_left, until_it_dies

pytestmark = pytest.mark.requires("mpi")


def refused(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    assert done.returncode == code, (done.returncode, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def damaged_copy(recording: Path, folder: Path, name: str) -> Path:
    copy = folder / name
    data = bytearray(recording.read_bytes())
    if name == "empty.lwt":
        data.clear()
    elif name == "newer.lwt":
        # docs/reference/trace-format.md: the version follows the eight bytes of the magic.
        data[8] = 99
    elif name == "other.lwt":
        data[:] = b"not a trace at all, but long enough to hold a header\n" * 20
    copy.write_bytes(data)
    return copy


def test_a_program_that_does_not_exist(linkworth: LinkworthCommand) -> None:
    refused(linkworth("trace", "-n", "2", "-o", "x.lwt", "--", "./no-such-program"), 2, "no-such-program")


def test_a_program_that_is_no_mpi_program(linkworth: LinkworthCommand) -> None:
    done = linkworth("trace", "-n", "2", "-o", "x.lwt", "--", "/bin/true")
    assert done.returncode in {2, 3}
    refused(done, done.returncode, "true", "not an MPI program")


@pytest.mark.parametrize("ending", ["abort", "kill"])
def test_a_program_that_breaks_off_leaves_a_readable_trace(
    linkworth: LinkworthCommand, compile_program, any_mpi, ending: str, record_property
) -> None:
    program = linkworth.folder / "misbehave"
    shutil.copy(compile_program("misbehave", any_mpi), program)

    def trace(timeout: float, watcher: Remaining | None = None) -> subprocess.CompletedProcess[str]:
        words = [
            "trace",
            "-n",
            "2",
            "--timeout",
            str(timeout),
            "-o",
            "cut.lwt",
            "--force",
            "--",
            program,
            ending,
        ]
        process = linkworth.start(*words)
        began = None
        while True:
            try:
                output, errors = process.communicate(timeout=0.5)
            except subprocess.TimeoutExpired:
                began = began or (time.monotonic() if ranks_left(program) else None)
                if watcher and began:
                    watcher.tick(time.monotonic() - began)
            else:
                return subprocess.CompletedProcess(words, process.returncode, output, errors)

    done = until_it_dies(
        trace,
        program,
        ending,
        record_property,
        rank=0,
        state=lambda done: "timeout" * ("it ran longer" in done.stderr),
    )
    assert done.returncode != 0
    assert "it ran longer" not in done.stderr
    assert "Traceback" not in done.stderr
    profile = linkworth("profile", "cut.lwt", "--json")
    assert profile.returncode in {0, 4}, profile.stderr
    counts = {call["name"]: call["count"] for call in json.loads(profile.stdout)["calls"]}
    assert counts["MPI_Allreduce"] == 200


def test_a_program_that_hangs_is_ended_at_the_timeout(
    linkworth: LinkworthCommand, compile_program, any_mpi
) -> None:
    program = compile_program("misbehave", any_mpi)
    reached = gated_clock.command(*hanging(Path(program), 2))
    done = linkworth(
        "trace", "-n", "2", "--timeout", "5", "-o", "hung.lwt", "--", program, "hang", start=reached
    )
    assert done.returncode == 4, done.stderr
    assert (linkworth.folder / "hung.lwt").exists()


@pytest.mark.parametrize("name", ["empty.lwt", "newer.lwt", "other.lwt"])
@pytest.mark.parametrize("verb", ["profile", "predict"])
def test_a_file_that_is_no_readable_trace(
    linkworth: LinkworthCommand, recording: Path, verb: str, name: str
) -> None:
    path = damaged_copy(recording, linkworth.folder, name)
    more = ["--nodes", "2", "--on", "gbe"] if verb == "predict" else []
    refused(linkworth(verb, path, *more, "--json"), 2, name)


def test_a_trace_that_does_not_exist(linkworth: LinkworthCommand) -> None:
    refused(linkworth("profile", "absent.lwt"), 2, "absent.lwt")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--nodes", "2", "--on", "gibe"], ["gibe", "gbe"]),
        (["--nodes", "3", "--ppn", "1", "--on", "gbe"], ["4"]),
        (["--nodes", "0", "--on", "gbe"], ["0"]),
        (["--nodes", "2", "--on", "gbe", "--measured", "gbe"], ["measured"]),
        (["--nodes", "2", "--on", "gbe", "--measured", "gbe=-3"], ["-3"]),
        (["--nodes", "2", "--on", "gbe", "--cpu-factor", "0"], ["cpu-factor"]),
    ],
)
def test_predict_refuses(
    linkworth: LinkworthCommand, recording: Path, options: list[str], words: list[str]
) -> None:
    refused(linkworth("predict", recording, *options, "--json"), 2, *words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--price", "gbe=-0.78"], ["-0.78"]),
        (["--price", "gbe"], ["gbe"]),
        (["--price", "gbe=free"], ["free"]),
        ([], ["price"]),
    ],
)
def test_advise_refuses(
    linkworth: LinkworthCommand, recording: Path, options: list[str], words: list[str]
) -> None:
    refused(linkworth("advise", recording, "--nodes", "2", *options, "--json"), 2, *words)


def test_a_rank_count_that_a_program_cannot_use(linkworth: LinkworthCommand) -> None:
    refused(linkworth("trace", "-n", "3", "-o", "x.lwt", "--", "npb:ft.S"), 2, "3")


def test_two_recordings_at_once_in_one_folder(linkworth: LinkworthCommand, compile_program, any_mpi) -> None:
    program = compile_program("halo", any_mpi)
    both = [
        linkworth.start("trace", "-n", "2", "-o", f"{name}.lwt", "--json", "--", program) for name in "ab"
    ]
    for name, process in zip("ab", both, strict=True):
        output, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors
        assert json.loads(output)["path"].endswith(f"{name}.lwt")
    assert {path.name for path in linkworth.folder.iterdir()} == {"a.lwt", "b.lwt"}
