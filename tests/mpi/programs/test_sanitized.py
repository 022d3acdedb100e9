"""The programs under AddressSanitizer and UndefinedBehaviorSanitizer."""

import pytest
import sanitized_programs
from sanitized_programs import ENVIRONMENT


@pytest.fixture
def sanitized(open_mpi):
    return sanitized_programs.program("programs", open_mpi)


@pytest.mark.slow  # compiles the programs once more
@pytest.mark.requires("openmpi")
@pytest.mark.parametrize(
    ("program", "letter", "ranks"),
    [
        ("is", "S", 4),
        ("ep", "S", 2),
        ("ft", "S", 4),
        ("ft", "W", 64),  # half a plane for each rank
        ("cg", "S", 4),
        ("bt", "S", 4),
        ("mg", "S", 1),
        ("mg", "S", 16),  # half of the ranks rest on the coarsest grid
        (
            "sp",
            "S",
            16,
        ),  # cells of three points: fourth differences reach through a whole one, as those of BT do
        ("lu", "S", 1),
        ("lu", "S", 16),  # pencils of three lines, of which a rank at the boundary has 2 inner ones
    ],
)
def test_clean(open_mpi, launch, sanitized, program, letter, ranks):
    assert_clean(launch(open_mpi, ranks, [sanitized, program, letter], environment=ENVIRONMENT))


@pytest.mark.slow  # compiles the programs once more
@pytest.mark.requires("openmpi")
@pytest.mark.parametrize(
    ("command", "ranks"),
    [
        ("imbalance 1 --operations 1e6", 3),
        ("imbalance 8 --operations 1e6", 2),
        ("stencil 40x12x9 --iterations 30 --output-every 10", 1),
        ("stencil 40x13x8 --iterations 30 --output-every 10", 2),
        ("stencil 23x19x1 --iterations 30 --output-every 10", 6),
    ],
)
def test_others_are_clean(open_mpi, launch, sanitized, command, ranks, tmp_path):
    output = ["--output", tmp_path / "fields"] if command.startswith("stencil") else []
    assert_clean(launch(open_mpi, ranks, [sanitized, *command.split(), *output], environment=ENVIRONMENT))


def assert_clean(done):
    assert done.returncode == 0, done.stdout + done.stderr
    assert "runtime error" not in done.stderr
