"""Call sites of programs that are compiled for each rank count."""

from collections.abc import Iterator
from pathlib import Path

from written_programs import BARRIER, Event, calls, message, scaled

from linkworth.scale.sites import like_the_last


def test_a_program_compiled_for_each_count_is_scaled(tmp_path: Path) -> None:
    def ring(rank: int, ranks: int) -> Iterator[Event]:
        file, moved = f"/bin/ring.{ranks}", 7 * ranks
        left, right = (rank - 1) % ranks, (rank + 1) % ranks
        for _ in range(3):
            yield message("send", right, 512 // ranks, 0, f"{file}+0x{0x900 + moved:x}")
            yield message("send", left, 1024 // ranks, 1, f"{file}+0x{0x800 + moved:x}")
            # This address has a digit more on 8 ranks.
            yield message("recv", left, 512 // ranks, 0, f"{file}+0x{0xFD0 + moved:x}")
            yield message("recv", right, 1024 // ranks, 1, f"{file}+0x{0xF00 + moved:x}")
            yield f"MPI_Barrier@{file}+0x{0xE00 + moved:x}", "collective", BARRIER

    made, summary = scaled(ring, [2, 4, 8], 16, tmp_path)
    assert not summary.scaling.distributions
    assert any(
        "the recordings on 2 and 4 ranks are of other files" in each for each in summary.scaling.remarks
    )
    sites = {one[0]: other[0] for one, other in zip(ring(3, 16), ring(3, 8), strict=True)}
    assert calls(made, 3)[1:-1] == [(sites[entry], *other) for entry, *other in ring(3, 16)]


def test_sites_of_other_programs_and_of_libraries_stay_as_they_are() -> None:
    library = "MPI_Send@/lib/b.so+0x10"
    one = ["MPI_Send@/bin/a.4+0x10", "MPI_Recv@/bin/a.4+0x20", library, "MPI_Init"]
    other = ["MPI_Recv@/bin/a.8+0x30", "MPI_Send@/bin/a.8+0x40", library, "MPI_Init"]
    assert like_the_last([one, other]) == [{}, {}]
