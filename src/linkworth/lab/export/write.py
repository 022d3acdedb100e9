"""Writes the files of a format into a folder, and lists their limits."""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from linkworth.errors import UsageError
from linkworth.lab.export.environment import ContainerKind, HostConfiguration, of_spec
from linkworth.lab.spec import LabSpec
from linkworth.writing.files import unwritable

FORMATS: dict[str, str] = {
    "systemd-networkd": "systemd_networkd",
    "netplan": "netplan",
    "ifupdown": "ifupdown",
    "lxd": "lxd",
    "opennebula": "opennebula",
}
"""Modules of this package, by format."""

OWN_CONTAINERS: dict[str, ContainerKind] = {"lxd": "lxd", "opennebula": "opennebula"}
"""Formats whose nodes are containers of their own, whatever isolates those of the lab."""


class LabExport(msgspec.Struct, frozen=True, kw_only=True):
    """Result of an export."""

    format: str
    folder: str
    files: list[str]
    """Paths below the folder: first the host or container, then the path on it."""
    remarks: list[str]
    schema: Literal["linkworth.lab-export/1"] = "linkworth.lab-export/1"


def export(
    spec: LabSpec,
    format_name: str,
    folder: Path,
    *,
    interfaces: Sequence[str] = (),
    network: str = "10.10.0.0/16",
) -> LabExport:
    """Write the configuration that makes a lab's environment on real hosts into a new or empty folder.

    Raises UsageError for an unknown format, a folder that is not empty, or too few NICs.
    """
    environment = environment_for(spec, format_name, interfaces=interfaces, network=network)
    written = files(environment, format_name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty; give another folder with `output`")
        for path, text in written.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritable(folder, error) from None
    return LabExport(
        format=format_name, folder=str(folder), files=sorted(written), remarks=environment.remarks
    )


def environment_for(
    spec: LabSpec, format_name: str, *, interfaces: Sequence[str] = (), network: str = "10.10.0.0/16"
) -> HostConfiguration:
    """Return the environment for real hosts in a format. LXD and OpenNebula always have containers."""
    if format_name not in FORMATS:
        raise UsageError(f"there is no format {format_name}; there is {', '.join(FORMATS)}")
    isolation: ContainerKind = "none" if spec.isolation == "namespace" else spec.isolation
    kind = OWN_CONTAINERS.get(format_name, isolation)
    return of_spec(spec, containers=kind, interfaces=interfaces, network=network)


def files(environment: HostConfiguration, format_name: str) -> dict[str, str]:
    """Return all files of a format: path below the folder -> text."""
    module = importlib.import_module(f"linkworth.lab.export.{FORMATS[format_name]}")
    written: dict[str, str] = module.files(environment)
    return written
