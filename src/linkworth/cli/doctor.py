"""`linkworth doctor`: inventory of this machine, and how to get what is missing."""

import rich_click as click

from linkworth import units
from linkworth.cli.output import console, emit_json, json_option, note
from linkworth.model.environment import Check

EXIT_LACKS = 3


@click.command
@json_option("doctor")
def command(as_json: bool) -> int:
    """List what linkworth can use on this machine and what is missing, with the command that installs it. Changes nothing.

    Exit code: 0 programs can be recorded here, 3 they cannot.
    """
    from linkworth.cli.table import Table
    from linkworth.measure.machine.diagnose import diagnose

    found = diagnose()
    if as_json:
        emit_json(found)
    else:
        groups = [check.group for check in found.checks]
        table = Table(
            ["", "", "what~", "detail~"],
            [
                ["" if before == check.group else check.group, _mark(check), check.name, _detail(check)]
                for before, check in zip(["", *groups], found.checks, strict=False)
            ],
        )
        out = console()
        cores = f"{units.plural(found.cores, 'core')} of {found.processor or 'unknown kind'}"
        out.print(f"Python {found.python}, {found.system}, {cores}, {units.data(found.memory_bytes)}")
        out.print(table)
        verdict = (
            "programs can be recorded here" if found.can_record else "programs cannot be recorded here yet"
        )
        out.print(verdict)
    if found.can_record:
        return 0
    # An MPI that works needs no compiler.
    works = {mpi.name for mpi in found.mpis} & {check.name for check in found.checks if check.present}
    remedies = [
        check.remedy
        for check in found.checks
        if check.group == "recording"
        and not check.present
        and check.remedy
        and (check.name == "cache" or not works)
    ]
    if remedies:
        note(f"linkworth: to record programs, run: {', then '.join(dict.fromkeys(remedies))}")
    return EXIT_LACKS


def _mark(check: Check) -> str:
    return {True: "yes", False: "no", None: "?"}[check.present]


def _detail(check: Check) -> str:
    if check.present or not check.remedy:
        return check.detail
    return f"{check.detail}; get it with: {check.remedy}"
