"""Shell commands of a batch job that runs one program: probe, counters, the program, and a record of its end.

The job needs no linkworth on its nodes. Files in its folder: `paired` (the way that started ranks), `nodes`,
`before.*` and `after.*` (counters of each node), `started`, `stdout`, `stderr`, `finished`, and last `end`
with the exit code.
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from linkworth.places.batch import BatchSystem
from linkworth.places.job import Job
from linkworth.places.mpiexec import set_for_ranks

PAIRING_FAILED = 76
"""Exit code of a job in which no way started the ranks (EX_PROTOCOL of sysexits.h)."""
PROBE_SECONDS = 60
COUNTED = ("net/dev", "net/snmp", "net/netstat", "stat")
LOWER = "lower"
READ_COUNTED = "; ".join(
    [
        # A login shell may refuse a pattern without a file; sh prints it, and no NIC has its name.
        f"echo '==> {LOWER}'; sh -c 'echo /sys/class/net/*/lower_*'",
        *(f"echo '==> {name}'; cat /proc/{name}" for name in COUNTED),
    ]
)
"""Shell commands that print a node's counters, as `job_folder.parse_reading` reads them."""


def body(
    system: BatchSystem,
    job: Job,
    *,
    place: Path,
    ways: Sequence[str],
    known: int | None,
    probe: Path | None,
    exported: Mapping[str, str],
) -> str:
    """Return the commands of a job that has a folder.

    `known` is the index of the known working way, `probe` the program that tries the others. `exported` are variables
    for the launchers.
    """
    quoted = shlex.quote(str(place))
    lines = [
        f"J={quoted}",
        # Not every batch system can be kept from that.
        f'[ ! -e "$J/started" ] || {{ echo "{system.title} started the job again" >&2; exit 1; }}',
        f"cd {shlex.quote(str(job.folder))} || exit 1",
        system.prepares,
    ]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in exported.items()]
    lines.append(f'{system.list_nodes} > "$J/nodes"')
    if known is None and probe is not None:
        lines += _probing(ways, probe, job.ranks)
    else:
        lines.append(f"way={known or 0}")
    lines += [
        'echo "$way" > "$J/paired"',
        _counting(system, "before"),
        'date +%s.%N > "$J/started"',
        'case "$way" in',
    ]
    program = shlex.join(set_for_ranks(job.environment, job.command))
    for number, way in enumerate(ways):
        lines.append(f'{number}) {way} {program} > "$J/stdout" 2> "$J/stderr" < /dev/null ;;')
    lines += [
        "esac",
        "code=$?",
        'date +%s.%N > "$J/finished"',
        _counting(system, "after"),
        'echo "$code" > "$J/end.new" && mv "$J/end.new" "$J/end"',
        'exit "$code"',
    ]
    return "\n".join(lines)


def _probing(ways: Sequence[str], probe: Path, ranks: int) -> list[str]:
    """Shell code that tries the ways in order and sets `way`. It judges like `pairing.verdict`."""
    lines = [
        'wanted=$(wc -l < "$J/nodes")',
        f'[ "$wanted" -le {ranks} ] || wanted={ranks}',
        "fits() {",
        f'  right=$(grep -c "^linkworth-probe [0-9]* {ranks} " "$J/probe.$1")',
        "  hosts=$(sed -n 's/^linkworth-probe [0-9]* [0-9]* //p' \"$J/probe.$1\" | sort -u | wc -l)",
        f'  [ "$right" -eq {ranks} ] && [ "$hosts" -ge "$wanted" ]',
        "}",
        "way=",
    ]
    for number, way in enumerate(ways):
        lines += [
            'if [ -z "$way" ]; then',
            f'  timeout {PROBE_SECONDS} {way} {shlex.quote(str(probe))} > "$J/probe.{number}" 2>&1 < /dev/null',
            f"  if fits {number}; then way={number}; fi",
            "fi",
        ]
    lines += [
        f'if [ -z "$way" ]; then echo none > "$J/paired"; echo {PAIRING_FAILED} > "$J/end"; exit {PAIRING_FAILED}; fi'
    ]
    return lines


def _counting(system: BatchSystem, when: str) -> str:
    """Shell code that writes each node's counters, or the first one's if not all are reachable."""
    each = system.on_each_node
    script = f'{{ {READ_COUNTED}; }} > "$1/{when}.$(uname -n)" 2>/dev/null'
    return f'{f"{each} " if each else ""}sh -c {shlex.quote(script)} counters "$J" > /dev/null 2>&1'
