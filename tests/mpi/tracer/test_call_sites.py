"""Call sites: the place in the program of each call."""

from collections import Counter
from pathlib import Path

from linkworth.trace import call_sites

PROGRAMS = Path(__file__).parent / "programs"


def _lines(source):
    """Numbers of the lines with a remark `in ...`, by the remark."""
    return {
        text.partition("// ")[2]: number
        for number, text in enumerate((PROGRAMS / source).read_text().splitlines(), 1)
        if "// in " in text
    }


def test_a_call_with_the_same_arguments_is_told_apart_by_its_place(bench):
    run = bench.record(bench.compile("call_sites.c", "-g", "-O0"), ranks=2)
    assert run.returncode == 0, run.stderr
    wanted = _lines("call_sites.c")
    for part in run.parts:
        calls = Counter(event.site for event in part.named("MPI_Barrier"))
        places = call_sites.resolve(calls)
        assert {(place.function, Path(place.file).name, place.line): calls[site] for site, place in places.items()} == {
            ("main", "call_sites.c", wanted["in the loop"]): 3,
            ("beside", "call_sites.c", wanted["in beside"]): 4,
        }  # fmt: skip
        assert {part.program for part in run.parts} == {site.rpartition("+")[0] for site in calls}


def test_a_library_that_calls_mpi_is_the_place_by_file_and_function(bench):
    """The library resembles an installed solver: no debug data, no frame pointers, only dynamic symbols."""
    plain = ("-O2", "-fomit-frame-pointer", "-s", "-shared", "-fPIC")
    library = bench.compile("sending_library.c", *plain, output="libsending.so")
    run = bench.record(
        bench.compile("through_library.c", str(library), f"-Wl,-rpath,{library.parent}"), ranks=2
    )
    assert run.returncode == 0, run.stderr
    for part in run.parts:
        calls = Counter((event.name, event.site) for event in part.events if event.kind == "collective")
        places = call_sites.resolve(site for _, site in calls)
        assert {Path(site.rpartition("+")[0]) for _, site in calls} == {library}
        assert {(name, places[site].function): count for (name, site), count in calls.items()} == {
            ("MPI_Barrier", "agree_on_nothing"): 3,
            ("MPI_Allreduce", "sum_over_all"): 1,
        }


def test_a_tool_that_the_program_is_linked_with_is_named_unless_it_is_preloaded(bench):
    tool = bench.compile("tool.c", "-shared", "-fPIC", output="libtool.so")
    linked = ["-Wl,--no-as-needed", str(tool), f"-Wl,-rpath,{tool.parent}"]
    program = bench.compile("call_sites.c", *linked)
    sentence = (
        f"{tool} also defines MPI_Init, and gets no calls in this run; set LD_PRELOAD to its path to keep it"
    )
    run = bench.record(program, ranks=2)
    assert (run.returncode, run.stderr.count(sentence), "the tool was called" in run.stdout) == (0, 1, False)
    run = bench.record(program, ranks=2, LD_PRELOAD=f"{tool}:{bench.tracer}")
    assert (run.returncode, sentence in run.stderr, "the tool was called" in run.stdout) == (0, False, True)
    assert len(run.parts) == 2


def test_the_table_of_names_lists_each_place_once(bench):
    run = bench.record(bench.compile("call_sites.c"), ranks=2)
    paths = [part.path for part in run.parts]
    sites = call_sites.of_parts(paths)
    assert len(sites) == len(set(sites))
    assert set(sites) == {event.site for part in run.parts for event in part.events if event.site}


def test_nothing_is_made_up_for_a_place_that_no_file_has():
    assert call_sites.resolve(["/no/such/program+0x10", "nonsense", "/bin/sh+0xzz"]) == {}
