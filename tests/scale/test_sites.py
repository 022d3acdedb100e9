"""Call sites of programs that are copied or compiled for each rank count."""

from collections.abc import Iterator
from pathlib import Path

from written_programs import BARRIER, Event, calls, message, scaled

from linkworth.model.trace import CallSite
from linkworth.scale.sites import common_names, readable, without_own_files


def test_a_program_compiled_for_each_count_is_scaled(tmp_path: Path) -> None:
    def ring(rank: int, ranks: int) -> Iterator[Event]:
        file, moved = f"/bin/ring.{ranks}", 7 * ranks
        left, right = (rank - 1) % ranks, (rank + 1) % ranks
        for _ in range(3):
            yield message("send", right, 512 // ranks, 0, f"{file}+0x{0x900 + moved:x}")
            yield message("send", left, 1024 // ranks, 1, f"{file}+0x{0x800 + moved:x}")
            yield message("recv", left, 512 // ranks, 0, f"{file}+0x{0xFD0 + moved:x}")
            yield message("recv", right, 1024 // ranks, 1, f"{file}+0x{0xF00 + moved:x}")
            yield f"MPI_Barrier@{file}+0x{0xE00 + moved:x}", "collective", BARRIER

    made, summary = scaled(ring, [2, 4, 8], 16, tmp_path)
    assert not summary.scaling.distributions
    assert any("the recordings are of different program files" in each for each in summary.scaling.remarks)
    assert calls(made, 3)[1:-1] == [(entry.partition("@")[0], *other) for entry, *other in ring(3, 16)]


def test_sites_in_files_of_all_recordings_stay_as_they_are() -> None:
    library, fortran = "MPI_Send@/lib/b.so+0x10", "MPI_Send@a.f:12"
    one = ["MPI_Send@/bin/a.4+0x10", library, fortran, "MPI_Init"]
    other = ["MPI_Recv@/bin/a.8+0x30", library, fortran, "MPI_Init"]
    assert without_own_files([one, other]) == [{one[0]: "MPI_Send"}, {other[0]: "MPI_Recv"}]
    assert without_own_files([one, one[1:]]) == [{}, {}]


def test_calls_in_copies_of_a_program_correspond_by_site() -> None:
    sites = ["MPI_Send@{}/a+0x10", "MPI_Send@{}/a+0x20", "MPI_Send@{}/lib.so+0x10"]
    small, large = ([site.format(f"/run{ranks}") for site in sites] for ranks in (4, 8))
    assert common_names([small[1:], large]) == [dict(zip(small[1:], large[1:], strict=True)), {}]
    other = ["MPI_Send@/run16/a+0x10", "MPI_Send@/run16/a+0x30"]
    assert common_names([small[:2], other]) == [
        dict.fromkeys(small[:2], "MPI_Send"),
        dict.fromkeys(other, "MPI_Send"),
    ]


def test_sentences_name_the_place_of_a_call_and_not_its_address() -> None:
    library = "/usr/lib/lib a.so.0"
    known = {
        f"{library}+0x1{last}": CallSite(function=name)
        for last, name in (("a", "f()"), ("b", "f()"), ("c", "fold()"))
    }
    text = f"sizes of MPI_Irecv@{library}+0x1a, MPI_Irecv@{library}+0x1b, MPI_Irecv@{library}+0x1c and 2 more differ"
    assert readable(text, known) == "sizes of MPI_Irecv at f, MPI_Irecv at fold and 2 more differ"
    assert (
        readable(f"MPI_Send@{library}+0x2: its peers differ", known)
        == "MPI_Send at lib a.so.0+0x2: its peers differ"
    )
    assert readable("MPI_Send@a.f:12: its peers differ", known) == "MPI_Send@a.f:12: its peers differ"
