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
