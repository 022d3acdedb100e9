"""Fixtures that all tests share, and the list of tests skipped because this machine lacks something."""

import contextlib
import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import capabilities
import pytest
from command import LinkworthCommand, with_json
from hypothesis import HealthCheck, settings
from markupsafe import Markup

# An example has no time limit, because a busy machine would break it. The examples of every day are the same for the
# same test, so that a commit passes or does not; `make test-exhaustive` searches for new ones.
settings.register_profile(
    "linkworth",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("search", settings.get_profile("linkworth"), derandomize=False, max_examples=1000)
settings.load_profile("linkworth")

YIELDING = {
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",  # MPICH 5; older ones spin
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "20",
}
"""Lets ranks that wait leave the cores to the tests beside them. A rank that spins costs ten times what its program does."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --no-programs, for `make check`."""
    parser.addoption(
        "--no-programs",
        action="store_true",
        help="Run only tests that start no MPI program, lab, Slurm or build, and need nothing of the machine.",
    )


STARTS_PROGRAMS = {"bench", "each_mpi", "open_mpi", "any_mpi", "sanitized"}
"""Fixtures that stand for an MPI of this machine, or for a program that is compiled for the test."""


def _starts_programs(item: pytest.Item) -> bool:
    from linkworth.model.mpi import MpiInstallation

    marked = any(item.get_closest_marker(name) for name in ("requires", "slow"))
    parameters = (
        item.callspec.params.values()
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        else ()
    )
    return (
        marked
        or not STARTS_PROGRAMS.isdisjoint(getattr(item, "fixturenames", ()))
        or any(isinstance(value, MpiInstallation) for value in parameters)
    )


def pytest_configure() -> None:
    """Let ranks yield. Handle the signals that tests send, even if the shell or nohup above ignores them."""
    os.environ.update(YIELDING)
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip, by name and reason, each test whose `requires` mark names something that is absent here.

    Files with slow tests go first, so that no core waits for the last of them at the end.
    """
    if config.getoption("--no-programs"):
        left_out = [item for item in items if _starts_programs(item)]
        items[:] = [item for item in items if not _starts_programs(item)]
        config.hook.pytest_deselected(items=left_out)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
    for item in items:
        for mark in item.iter_markers("requires"):
            for name in mark.args:
                if name not in capabilities.CHECKS:
                    raise pytest.UsageError(
                        f"{item.nodeid}: requires({name!r}) is not in tests/capabilities.py"
                    )
                reason = capabilities.lacking(name)
                if reason is not None:
                    item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many tests each missing thing cost, so that a green run does not hide them."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if reasons:
        terminalreporter.section("tests not run here")
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:4d}  {reason}")
    repeated = [
        (report.nodeid, what)
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        for name, what in report.user_properties
        if name == "repeated"
    ]
    if repeated:
        terminalreporter.section("runs that were repeated")
        for test, what in repeated:
            terminalreporter.line(f"{test}: {what}")


@pytest.fixture(scope="session", autouse=True)
def cache_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the cache folder that the session's workers share.

    Native code in it is named by the content that it was built from, so it is kept for later sessions in
    $LINKWORTH_TEST_CACHE, or build/test-cache. What a test measured there goes with the session.
    """
    base = tmp_path_factory.getbasetemp()
    session = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder = session / "cache"
    ours = folder / "linkworth"
    ours.mkdir(parents=True, exist_ok=True)
    kept = Path(os.environ.get("LINKWORTH_TEST_CACHE") or Path(__file__).parents[1] / "build/test-cache")
    for part in ("mpi", "lab", "otf2"):
        (kept / part).mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            (ours / part).symlink_to(kept.absolute() / part)
    os.environ["XDG_CACHE_HOME"] = str(folder)
    os.environ["LINKWORTH_WERROR"] = "ON"
    return folder


@pytest.fixture(scope="session")
def once(cache_home: Path) -> Callable[[str, Callable[[Path], object]], Path]:
    """Return what lets the first worker that needs a file or folder make it, for all workers of the session."""
    from linkworth.mpi.cache import built_once

    def path_of(name: str, make: Callable[[Path], object]) -> Path:
        place, done = cache_home / "shared" / name, "done"

        def fill(folder: Path) -> None:
            make(folder / name)
            (folder / done).touch()

        return built_once(place, done, fill, what=None).with_name(name)

    return path_of


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let no variable of the caller's shell and no file of the user's change what the command line prints."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "no-user-data"))
    monkeypatch.delenv("LINKWORTH_PRICES_ENDPOINT", raising=False)
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "LD_PRELOAD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    # On a busy machine the announcement of a slow search would stand in what tests compare.
    monkeypatch.setattr("linkworth.mpi.progress.SLOW_SECONDS", 600.0)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the drawings out of pages, for tests of what else is on them: a page of ten takes a second."""
    monkeypatch.setattr("linkworth.report.writer.svg", lambda figure: Markup("<svg></svg>"))


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Predict studies in this process: to start another one takes longer than most of the tests' predictions."""
    monkeypatch.setattr(
        "linkworth.study.prediction.pool.cores_for", lambda jobs, processes=None: min(processes or 1, jobs)
    )


@pytest.fixture
def linkworth(tmp_path: Path) -> LinkworthCommand:
    """Return the real command line, to be called with its arguments in a folder of the test's own."""
    return LinkworthCommand(tmp_path)


class Called(NamedTuple):
    """Return value and output of a command line."""

    code: int
    out: str
    err: str


@pytest.fixture
def called(capsys: pytest.CaptureFixture[str]) -> Callable[..., Called]:
    """Return what calls the command line in this process."""
    from linkworth.cli.main import main

    def call(*arguments: object) -> Called:
        capsys.readouterr()
        code = main(list(map(str, arguments)))
        return Called(code, *capsys.readouterr())

    return call


@pytest.fixture
def printed(called: Callable[..., Called]) -> Callable[..., str]:
    """Return what calls the command line in this process, which must not fail, and returns its output."""

    def call(*arguments: object) -> str:
        done = called(*arguments)
        assert done.code == 0, done.err
        return done.out

    return call


@pytest.fixture
def refused(called: Callable[..., Called]) -> Callable[..., str]:
    """Return what calls the command line in this process, which must refuse with one sentence, and returns that."""

    def call(*arguments: object, code: int = 2) -> str:
        done = called(*arguments)
        assert (done.code, done.out) == (code, ""), done.err
        assert done.err.startswith("linkworth: ") and done.err.count("\n") == 1, done.err
        return done.err

    return call


@pytest.fixture
def json_of(printed: Callable[..., str]) -> Callable[..., Any]:
    """Return what calls the command line in this process with --json as well, and returns the document."""
    return lambda *arguments: json.loads(printed(*with_json(arguments)))
