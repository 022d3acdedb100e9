"""Variables that load a library into a program."""

from pathlib import Path

import pytest

from linkworth.errors import EnvironmentLacksError
from linkworth.mpi import preload


@pytest.mark.parametrize("folder", ["/home/jane doe", "/home/a:b", "/home/a\tb"])
def test_a_library_that_the_loader_cannot_take_is_refused(folder):
    library = Path(folder, "tracer.so")
    with pytest.raises(EnvironmentLacksError, match="its path has a space or a colon; set XDG_CACHE_HOME"):
        preload.environment(library)
    assert not preload.can_be_loaded(library)
    assert preload.environment(Path("/home/jos\u00e9/tracer.so"))["LD_PRELOAD"].startswith(
        "/home/jos\u00e9/tracer.so"
    )


def test_a_tool_that_the_user_preloads_comes_before_our_library(monkeypatch):
    """It calls PMPI_Send in its MPI_Send. Behind our library, which calls the MPI library, it would be left out."""
    monkeypatch.setenv("LD_PRELOAD", "/tool.so:/other.so")
    assert preload.environment(Path("/tracer.so"))["LD_PRELOAD"] == "/tool.so:/other.so:/tracer.so"
    ranks = str(preload.ranks_library())
    given = {"LD_PRELOAD": f"/tool.so:{ranks}", "A": "b"}
    assert preload.without_ranks_library(given) == {"LD_PRELOAD": "/tool.so", "A": "b"}
    assert preload.without_ranks_library({"LD_PRELOAD": ranks}) == {}
