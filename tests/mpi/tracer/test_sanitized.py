"""The whole tracer under AddressSanitizer and UndefinedBehaviorSanitizer, in programs and MPIs that know nothing of them."""

import re

import pytest
import sanitized_programs

from linkworth.measure import call_profile_file

PROGRAMS = {"point_to_point.c": 4, "collectives.c": 4, "communicators.c": 4, "one_sided.c": 4}
"""By source: ranks."""
MPI_TESTED = "mpich-4.0.2"
"""The MPI with the most procedures."""


@pytest.fixture
def tested(bench_of):
    """Return the bench of one MPI: the tracer differs between them by handles and procedures only."""
    return bench_of(MPI_TESTED)


@pytest.fixture
def sanitized(tested):
    """Return the libraries to preload: the sanitizers' and the tracer."""
    runtime = sanitized_programs.runtime()
    if runtime is None:
        pytest.skip("the compiler has no AddressSanitizer (libasan)")
    return f"{runtime}:{sanitized_programs.tracer(tested.mpi)}"


@pytest.mark.parametrize("profiling", [False, True], ids=["trace", "profile"])
def test_no_error_of_memory_and_no_undefined_behaviour(tested, sanitized, profiling):
    for source, ranks in PROGRAMS.items():
        program = tested.compile(source, output=source.removesuffix(".c"))
        folder = tested.folder / f"{program.name}-parts"
        folder.mkdir()
        # Set by `env` for the ranks alone: the launcher is none of ours.
        run = tested.launch(
            "env",
            f"LD_PRELOAD={sanitized}",
            program,
            ranks=ranks,
            environment={
                **sanitized_programs.ENVIRONMENT,
                "LD_PRELOAD": "",
                "LINKWORTH_TRACE_DIR": str(folder),
                "LINKWORTH_PROFILE": str(int(profiling)),
            },
        )
        found = re.findall(r".*(?:ERROR: AddressSanitizer|runtime error:).*", run.stderr)
        assert (source, run.returncode, found) == (source, 0, []), run.stderr[:8000]
        if profiling:
            profiles = [call_profile_file.read(path) for path in folder.glob("*.profile")]
            assert len(profiles) == ranks
            assert all(profile.tallies["MPI_Finalize"].calls == 1 for profile in profiles)
        else:
            assert len(run.parts) == ranks
            assert all(part.events[-1].name == "MPI_Finalize" for part in run.parts)
