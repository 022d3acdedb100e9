"""Starts or resumes a study: finds its folder, and checks that it follows the same study file."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from linkworth.errors import UsageError
from linkworth.model.study import Study
from linkworth.study.filter import selected
from linkworth.study.matrix import expand
from linkworth.study.plan import check_all
from linkworth.study.store import Store, default_folder, is_begun


def differences(old: Study, new: Study) -> list[str]:
    """Return sentences on what the changed study file asks for and the study did not, and the other way round."""
    found = []
    for kind in ("workloads", "environments", "comparisons"):
        before, after = ({_name(entry): entry for entry in getattr(study, kind)} for study in (old, new))
        found += [f"{kind[:-1]} {name} is gone" for name in before if name not in after]
        found += [f"{kind[:-1]} {name} is new" for name in after if name not in before]
        for name in before:
            if name in after:
                found += _changed(f"{kind[:-1]} {name}: ", before[name], after[name])
    return found + _changed(
        "",
        old,
        new,
        without={
            *("workloads", "environments", "comparisons"),
            *("sha256", "path", "name", "scales", "published"),
        },
    )


def _name(entry: msgspec.Struct) -> str:
    return str(
        getattr(entry, "name", None) or getattr(entry, "title", None) or getattr(entry, "baseline", "")
    )


def _changed(prefix: str, old: msgspec.Struct, new: msgspec.Struct, without: Iterable[str] = ()) -> list[str]:
    fields = [field for field in old.__struct_fields__ if field not in without]
    return [
        f"{prefix}{field} was {_shown(getattr(old, field))}, is {_shown(getattr(new, field))}"
        for field in fields
        if getattr(old, field) != getattr(new, field)
    ]


def _shown(value: object) -> str:
    if isinstance(value, msgspec.Struct):
        return msgspec.json.encode(value).decode()
    return "not given" if value in (None, "") else str(value)


_SHOWN = 8


def begin(
    file: Path,
    *,
    folder: Path | None = None,
    scale: str = "",
    where: str = "",
    filters: Sequence[str] = (),
    accept_changes: bool = False,
) -> Store:
    """Return the folder of a study file: a new one, or that of an earlier call with the same request.

    Raises UsageError if the folder follows another file, scale or place, or the file has changed without permission.
    Raises the errors of `check_all` before a new folder is made for runs (those that the filters select) that cannot be.
    """
    folder = folder or default_folder(file, scale)
    given, where = where, _from_anywhere(where)
    if not is_begun(folder):
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder} is there and is no study's folder; name another with `folder`")

        def check(study: Study) -> None:
            check_all(study, selected(study, expand(study, study.seed or 0), filters))

        return Store.create(folder, file, scale=scale, where=where, check=check)
    store = Store(folder)
    known = store.manifest
    if known.scale != scale or (where and known.where not in (where, given)):
        said = f"scale {known.scale or 'none'}, where {known.where or 'as the file says'}"
        raise UsageError(f"{folder} was begun with {said}; name another folder with `folder`")
    _follow(store, file, accept_changes=accept_changes)
    return store


def _from_anywhere(where: str) -> str:
    """Return a place with an absolute file path, as a study may be resumed from another folder."""
    kind, _, name = where.partition(":")
    return f"hostfile:{Path(name).absolute()}" if kind == "hostfile" and name else where


def resume(folder: Path, *, accept_changes: bool = False) -> Store:
    """Return the folder of a study that was begun. Raises UsageError if its file has changed without permission."""
    store = Store(folder)
    file = Path(store.manifest.file)
    if file.exists():
        _follow(store, file, accept_changes=accept_changes)
    return store


def _follow(store: Store, file: Path, *, accept_changes: bool) -> None:
    try:
        same = file.read_bytes() == (store.folder / "study.toml").read_bytes()
    except OSError:
        same = False  # `load` raises the reason
    if same:
        return
    changed = store.load(file)
    found = differences(store.study, changed)
    if found and not accept_changes and store.records():
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise UsageError(
            f"{file} has changed since {store.folder} was begun: {'; '.join(found[:_SHOWN])}{more}. Give "
            "`accept_changes` to follow it (runs that it asks for otherwise now are made anew, the old ones set aside), "
            "or `folder` for a new study"
        )
    store.follow(file, changed)
