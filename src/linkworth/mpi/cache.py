"""The user's cache of files that are compiled on this machine."""

import contextlib
import fcntl
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from linkworth.errors import EnvironmentLacksError
from linkworth.mpi import progress
from linkworth.mpi.files import is_file
from linkworth.writing.folders import remove_folder
from linkworth.writing.user_folder import user_folder


def cache_folder() -> Path:
    """Return the folder of the cache: $XDG_CACHE_HOME/linkworth, else ~/.cache/linkworth."""
    return user_folder("XDG_CACHE_HOME", ".cache") / "linkworth"


def built_once(place: Path, product: str, make: Callable[[Path], None], *, what: str | None = "") -> Path:
    """Return `product` in the folder `place`. If it is missing, `make` fills the folder first.

    `what` is the text for the user who waits for a compiler, None for quick work. Raises EnvironmentLacksError if the
    cache cannot be written, and the errors of `make`.
    """
    built = place / product
    if is_file(built):
        return built
    if what is not None:
        progress.announce(f"compiling {what or product}, once for this machine")
    with _building(place):
        if not is_file(built):
            _build(place, product, make)
    return built


@contextlib.contextmanager
def _building(place: Path) -> Iterator[None]:
    """Let one process at a time build `place`. Others that need the same wait for it.

    Without locks, each builds its own. Raises EnvironmentLacksError if the cache cannot be written.
    """
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        lock = (place.parent / f".{place.name}.lock").open("a")
    except OSError as error:
        raise _cannot_write(place, error) from None
    with lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build(place: Path, product: str, make: Callable[[Path], None]) -> None:
    try:
        work = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    except OSError as error:
        raise _cannot_write(place, error) from None
    try:
        make(work)
        try:
            work.rename(place)
        except OSError:
            # Another process built the same meanwhile, and its result is equivalent. Else the folder is what a cleaner
            # of old files left.
            if not is_file(place / product):
                remove_folder(place)
                work.rename(place)
    except OSError as error:
        raise EnvironmentLacksError(f"cannot build {product} in {work.parent}: {error.strerror}") from None
    finally:
        remove_folder(work)


def _cannot_write(place: Path, error: OSError) -> EnvironmentLacksError:
    return EnvironmentLacksError(
        f"cannot write to the cache {place.parent} ({error.strerror}); "
        "point XDG_CACHE_HOME to a folder that you can write"
    )
