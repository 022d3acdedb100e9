import os
import re
import signal
import subprocess
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fake_installation as fake
import msgspec
import pytest

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.measure.machine.tools import cache as cache_check
from linkworth.mpi import apps, build, cache, find, joined, precompiled, search, sources

PRECOMPILED = precompiled.FOLDER_VARIABLE in os.environ
MAIN = "#include <mpi.h>\nint answer();\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return answer(); }\n"


@pytest.fixture(autouse=True)
def nothing_precompiled(monkeypatch):
    monkeypatch.delenv(precompiled.FOLDER_VARIABLE, raising=False)


@pytest.fixture
def part(tmp_path, monkeypatch):
    """Sources of a small program in place of npb's, and a cache of the test's own."""
    folder = tmp_path / "programs"
    (folder / "deep").mkdir(parents=True)
    (folder / "main.cpp").write_text(MAIN)
    (folder / "deep" / "answer.cpp").write_text('#include "answer.hpp"\nint answer() { return ANSWER; }\n')
    (folder / "answer.hpp").write_text("#define ANSWER 0\n")
    (folder / "build.toml").write_text('sources = ["**/*.cpp"]\nflags = ["-std=c++20", "-O0"]\n')
    monkeypatch.setattr(sources, "folder", lambda _part: folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def mpi():
    return next(mpi for mpi in find.find_all() if mpi.mpicxx)


def compiled_nowhere_else():
    """Return the MPIs of this machine without those whose headers scripts/precompile.py compiles with, if it ran."""
    found = [mpi for mpi in find.find_all() if mpi.mpicxx]
    return [mpi for mpi in found if not (PRECOMPILED and mpi.origin == search.PATH_VARIABLE)] or found[:1]


@pytest.mark.requires("mpi", "c++")
def test_a_part_is_built_once_and_again_when_a_header_changes(part, mpi):
    first = build.npb(mpi)
    before = first.stat()
    assert build.npb(mpi) == first
    assert first.stat().st_mtime_ns == before.st_mtime_ns
    (part / "answer.hpp").write_text("#define ANSWER 1\n")
    second = build.npb(mpi)
    assert second != first
    assert first.is_file()


def test_of_those_who_want_the_same_at_once_one_builds_it(tmp_path):
    made = []

    def make(work):
        made.append(work)
        time.sleep(0.05)
        (work / "product").write_text("whole")

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: cache.built_once(tmp_path / "place", "product", make), range(8)))
    assert len(made) == 1
    assert {path.read_text() for path in results} == {"whole"}
    assert not made[0].exists()


def test_a_build_that_is_stopped_leaves_no_folder(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        cache.built_once(tmp_path / "part", "product", lambda _: os.kill(os.getpid(), signal.SIGINT))
    assert [file.name for file in tmp_path.iterdir()] == [".part.lock"]


@pytest.mark.parametrize("child", ["sleep 600", "(trap '' TERM; exec sleep 600)"], ids=["willing", "deaf"])
def test_compilers_end_with_the_build_that_is_stopped(part, tmp_path, child):
    started, ended = tmp_path / "started", tmp_path / "ended"
    compiling = f"trap 'echo $$ >> {ended}; exit 1' TERM; echo $$ >> {started}; {child} & wait"
    wrapper = fake.script(tmp_path / "mpicxx", f'case "$*" in *" -c "*) {compiling};; *) exit 1;; esac')
    mpi = msgspec.structs.replace(fake.described("mpich", "5.0.2"), mpicxx=str(wrapper))

    def stop():
        while not started.exists():
            time.sleep(0.01)
        # CPython handles a signal only later if it comes just as the main thread begins to wait for a lock.
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)

    def make(work):
        build.compile_part(mpi, "programs", sources.recipe("programs"), work, work / "product")

    stopping = threading.Thread(target=stop)
    stopping.start()
    with pytest.raises(KeyboardInterrupt):
        cache.built_once(tmp_path / "place", "product", make)
    stopping.join()
    # One that is stopped between its trap and its first word has ended as well.
    assert set(started.read_text().split()) <= set(ended.read_text().split())


def test_a_folder_that_lost_its_product_to_a_cleaner_is_built_anew(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    (place / "build.log").write_text("of the first build")
    built = cache.built_once(place, "product", lambda work: (work / "product").touch())
    assert [path.name for path in place.iterdir()] == [built.name]


@pytest.mark.requires("mpi", "c++")
def test_a_source_that_does_not_compile_is_named_and_its_messages_are_kept(part, mpi):
    (part / "deep" / "answer.cpp").write_text("int answer() { return absent_name; }\n")
    with pytest.raises(
        EnvironmentLacksError, match=r"cannot build the bundled programs.*absent_name.*messages: (.*)\)"
    ) as raised:
        build.npb(mpi)
    log = Path(str(raised.value).rsplit("messages: ", 1)[1].rstrip(")"))
    assert "answer.cpp" in log.read_text()


@pytest.mark.requires("mpi")
def test_a_missing_compiler_wrapper_says_what_to_install(part, mpi):
    without = msgspec.structs.replace(mpi, mpicxx="")
    package = {"openmpi": "libopenmpi-dev", "mpich": "libmpich-dev"}.get(mpi.kind, "")
    with pytest.raises(EnvironmentLacksError, match=rf"no compiler wrapper for C\+\+.*{package}"):
        build.npb(without)


def test_a_missing_compiler_is_named_with_its_package(part, tmp_path):
    """Open MPI's wrapper prints lines of dashes around its sentence."""
    wrapper = fake.script(
        tmp_path / "bin/mpicxx",
        '[ "$1" = -show ] && echo "absent-c++ -I/x -lmpi" || { echo ------ >&2; exit 1; }',
    )
    mpi = fake.described("openmpi", "4.1.4")
    library = tmp_path / "libmpi.so"
    library.write_text("")
    mpi = msgspec.structs.replace(mpi, mpicc=str(wrapper), mpicxx=str(wrapper), library=str(library))
    with pytest.raises(EnvironmentLacksError, match=r"absent-c\+\+, which is not installed.*build-essential"):
        build.npb(mpi)


def test_lines_of_dashes_are_not_what_a_compiler_says(tmp_path):
    script = fake.script(tmp_path / "cc", "echo -------; echo it does not work; echo -------; exit 1")
    assert build._Compilers().call([str(script)], tmp_path, tmp_path / "log") == "it does not work"


def test_a_plan_builds_nothing(part, tmp_path, monkeypatch):
    library = tmp_path / "libmpi.so"
    library.write_text("")
    monkeypatch.setattr(build, "compile_part", lambda *_: pytest.fail("built"))
    mpi = msgspec.structs.replace(fake.described("openmpi", "4.1.4"), library=str(library))
    assert apps.resolve(["npb:ft.S"], mpi, planned=True)[0].endswith("/lw-npb")
    assert build.netbench(mpi, planned=True).name == "lw-netbench"


@pytest.mark.requires("mpi", "c++")
@pytest.mark.parametrize("name", ["file", "long" * 100])
def test_a_cache_that_cannot_be_written_says_which_variable_moves_it(part, mpi, tmp_path, monkeypatch, name):
    (tmp_path / "file").write_text("")
    # A file in a folder with too long a name cannot be looked for, like one in a folder that the user cannot search.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))
    with pytest.raises(EnvironmentLacksError, match="XDG_CACHE_HOME"):
        build.npb(mpi)
    assert cache_check().name == "cache"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("sources = [", r"build\.toml is not valid TOML"),
        ("sources = []\nflags = []\nsorces = []", r"build\.toml: .*'sorces'; did you mean sources"),
        ("sources = ['*.cpp']\nflags = '-O3'", r"build\.toml: flags: expected a list"),
    ],
)
def test_a_wrong_build_file_is_named(part, text, sentence):
    (part / "build.toml").write_text(text)
    with pytest.raises(UsageError, match=sentence):
        sources.recipe("programs")


def test_a_part_without_sources_is_an_incomplete_installation(part):
    (part / "build.toml").write_text('sources = ["absent/*.cpp"]\nflags = []\n')
    with pytest.raises(EnvironmentLacksError, match="contains no sources"):
        sources.recipe("programs")


def test_the_key_changes_with_every_file_and_flag(part):
    seen = {sources.digest(sources.recipe("programs"))}
    changes = [
        ("answer.hpp", "#define ANSWER 2\n"),
        ("main.cpp", MAIN + "\n"),
        ("build.toml", 'sources = ["**/*.cpp"]\nflags = ["-O1"]\n'),
        ("build.toml", 'sources = ["**/*.cpp"]\nflags = ["-O1"]\nfiles = 2\n'),
    ]
    for name, text in changes:
        (part / name).write_text(text)
        seen.add(sources.digest(sources.recipe("programs")))
    assert len(seen) == 5


def test_a_relative_cache_variable_is_ignored_as_its_standard_says(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home-of-test")
    assert cache.cache_folder() == Path("/home-of-test/.cache/linkworth")


@pytest.mark.requires("mpi", "c++")
def test_sources_are_compiled_together(part, mpi):
    (part / "more.cpp").write_text("int more() { return 0; }\n")
    for files, compiled in ((0, 3), (2, 2)):
        (part / "build.toml").write_text(
            f'sources = ["**/*.cpp"]\nflags = ["-std=c++20", "-O0"]\nfiles = {files}\n'
        )
        built = build.npb(mpi)
        assert subprocess.run([built], check=False).returncode == 0
        assert (built.parent / "build.log").read_text().count(" -c ") == compiled


@pytest.mark.slow  # Compiles for every MPI of the machine.
@pytest.mark.requires("mpi", "c++")
def test_the_headers_of_every_mpi_here_suit_the_benchmark(tmp_path):
    """Tests of the programs and of the tracer compile those for every MPI."""
    recipe = sources.recipe("netbench")
    files = joined.files(recipe._replace(files=1), tmp_path)
    for mpi in compiled_nowhere_else():
        line = [mpi.mpicxx, *recipe.flags, "-Werror", f"-I{recipe.folder}", "-fsyntax-only", *files]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_no_two_files_of_the_tracer_define_the_same_static_variable():
    """C merges two tentative definitions of one name without an error when the files are compiled together."""
    files = defaultdict(set)
    for source in sources.recipe("tracer").sources:
        for names in re.findall(
            r"^static [^(={]*?[ *](\w+(?:\[\w*\])?(?:, \**\w+)*);", source.read_text(), re.M
        ):
            for name in re.split(r"\W+", names):
                files[name].add(source.name)
    assert len(files) > 20
    assert {name: where for name, where in files.items() if name and len(where) > 1} == {}
