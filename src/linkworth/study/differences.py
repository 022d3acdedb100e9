"""Differences between a changed study file and the study, in sentences."""

from collections.abc import Iterable

import msgspec

from linkworth.model.study import Study


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
