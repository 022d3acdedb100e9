"""More ranks than a place can start are refused before anything is built."""

import pytest

from linkworth.cli.main import main
from linkworth.errors import UsageError
from linkworth.places.local import LocalPlace
from linkworth.places.place import LEAST_LIMIT, RANKS_A_CORE, check_started_ranks


class Large(LocalPlace):
    """A machine of many cores."""

    cores = 1000


@pytest.mark.parametrize("verb", ["run", "trace", "bench"])
@pytest.mark.parametrize("ranks", [10**6, 10**7])
def test_verbs_that_start_ranks_refuse_too_many(verb, ranks, capsys):
    program = ["latency"] if verb == "bench" else ["--", "true"]
    assert main([verb, "-n", str(ranks), "--dry-run", *program]) == 2
    errors = capsys.readouterr().err
    assert f"-n {ranks}: each rank is a process, and local starts at most " in errors
    assert errors.count("\n") == 1


def test_cores_raise_the_limit():
    check_started_ranks(LEAST_LIMIT, LocalPlace())
    check_started_ranks(1000 * RANKS_A_CORE, Large())
    with pytest.raises(UsageError, match="starts at most 64000 of them"):
        check_started_ranks(1000 * RANKS_A_CORE + 1, Large())
