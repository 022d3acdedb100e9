"""Batch systems: their commands here, an answering cluster, and the way to start ranks."""

import re
import shutil

from linkworth.errors import EnvironmentLacksError
from linkworth.launch import allocation, pairing
from linkworth.model.environment import Check
from linkworth.mpi import identify

_ANSWER_SECONDS = 20.0
_PURPOSE = "jobs on clusters"


def schedulers() -> list[Check]:
    """Find batch systems by their commands, and query Slurm for its nodes."""
    return [_slurm(), *(_by_command(name, command) for name, command in (("PBS", "qsub"), ("LSF", "bsub")))]


def _slurm() -> Check:
    path = shutil.which("sbatch")
    if not path:
        return Check(
            group="schedulers", name="Slurm", present=False, detail="sbatch is not on PATH", purpose=_PURPOSE
        )
    nodes = identify.ask(["sinfo", "--noheader", "--format=%P %D %T"], _ANSWER_SECONDS) or ""
    partitions = partitions_of(nodes)
    if not partitions:
        detail = f"{path} is installed, but no cluster answers (sinfo); is this a login node?"
        return Check(group="schedulers", name="Slurm", present=False, detail=detail, purpose=_PURPOSE)
    version = (identify.ask([path, "--version"], _ANSWER_SECONDS) or "slurm").strip().partition("\n")[0]
    try:
        plugins = ", ".join(plugin for plugin in pairing.slurm_plugins() if plugin != "none")
    except EnvironmentLacksError:
        plugins = ""
    parts = [version, *(f"partition {name}: {count} nodes" for name, count in partitions.items())]
    if plugins:
        parts.append(f"srun starts ranks through {plugins}")
    if allocation.inside():
        parts.append("this is inside a job: --slurm runs steps of it")
    return Check(group="schedulers", name="Slurm", present=True, detail="; ".join(parts), purpose=_PURPOSE)


def partitions_of(text: str) -> dict[str, int]:
    """Count the nodes of each partition (the default first) that are not down, from `sinfo --format='%P %D %T'`."""
    found: dict[str, int] = {}
    default = ""
    for line in text.splitlines():
        words = line.split()
        if len(words) != 3 or not words[1].isdecimal():
            continue
        name = words[0].rstrip("*")
        default = name if words[0].endswith("*") else default
        usable = not re.match(r"down|drain|fail|unknown|reboot|power", words[2])
        found[name] = found.get(name, 0) + (int(words[1]) if usable else 0)
    return dict(sorted(found.items(), key=lambda item: item[0] != default))


def _by_command(name: str, command: str) -> Check:
    path = shutil.which(command)
    version = (identify.ask([path, "--version"], _ANSWER_SECONDS) or "").strip().splitlines() if path else []
    detail = (version[0] if version else str(path)) if path else f"{command} is not on PATH"
    return Check(group="schedulers", name=name, present=bool(path), detail=detail, purpose=_PURPOSE)
