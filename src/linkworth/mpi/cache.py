"""The user's cache of what is compiled here."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from linkworth.errors import EnvironmentLacksError


def cache_folder() -> Path:
    """Return the folder that holds what was built: $XDG_CACHE_HOME/linkworth, else ~/.cache/linkworth."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if named.startswith("/") else Path.home() / ".cache") / "linkworth"


def built_once(place: Path, product: str, make: Callable[[Path], None]) -> Path:
    """Return `product` in the folder `place`, which `make` fills, under another name, where it is not there yet.

    Raises EnvironmentLacksError where the cache cannot be written, and what `make` raises.
    """
    built = place / product
    if built.is_file():
        return built
    with _alone(place):
        if not built.is_file():
            _build(place, product, make)
    return built


@contextlib.contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Let those who want the same wait for the first to have built it; without locks each builds its own."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(
            place.parent / f".{place.name}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600
        )
    except OSError:
        yield
        return
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _build(place: Path, product: str, make: Callable[[Path], None]) -> None:
    built = place / product
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    except OSError as error:
        raise EnvironmentLacksError(
            f"cannot write to the cache {place.parent} ({error.strerror}); "
            "point XDG_CACHE_HOME to a folder that you can write"
        ) from None
    try:
        make(work)
        try:
            work.rename(place)
        except OSError:
            # Another process built the same meanwhile; its result is as good.
            if not built.is_file():
                raise
    except OSError as error:
        raise EnvironmentLacksError(f"cannot build {product} in {work.parent}: {error.strerror}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
