"""Write docs/reference/cli.md from the commands themselves, and the tables of fabrics.md and statistics.md beside it.

`cli_reference.py FILE` writes, `cli_reference.py --check FILE` compares.
"""

import inspect
import sys
from pathlib import Path

import msgspec
import rich_click as click

from linkworth.cli.group import VerbGroup
from linkworth.cli.main import VERBS, cli
from linkworth.model import fabric
from linkworth.model.parameter import Declared, declared
from linkworth.study.metrics import METRICS

HEAD = """# Command line

<!-- Written by scripts/cli_reference.py from the commands; `make reference` renews it. -->

`linkworth VERB --json` prints exactly one JSON document on standard output, with a `schema` of the form
`linkworth.<noun>/1`; everything else goes to standard error. Progress bars appear only on a terminal, and `NO_COLOR` is
honoured.

`-` as the name of an output file (`-o`, `--plot`, `--timeline`, `--html`) is standard output; tables and JSON then go to standard
error. An output is written whole or not at all, through symbolic links, and into devices and pipes without replacing them.

What was recorded or measured is never replaced unasked. `trace`, `scale` and `convert` need `--force` for a name that exists.
`bench` adds to its file. Every other verb refuses a name that is a trace, a file of `bench` or a machine file. What follows from
other files (pages, tables, charts, fabrics, timelines) replaces a file of its name. A folder of `run -o` has its last run.

An option is given once, unless its meaning says that it is repeatable.

A byte of a name that is not UTF-8 is printed as `\\xNN`, in JSON documents and files too, and so is a control character in tables
and messages. In CSV, a quote stands before a text that a spreadsheet would take for a formula.

`eval "$(_LINKWORTH_COMPLETE=bash_source linkworth)"` in `~/.bashrc` completes verbs, options, files and the names of fabrics,
machines, programs and price catalogs (zsh: `zsh_source`).

| exit code | meaning |
|---|---|
| 0 | fine |
| 1 | a verification or a threshold failed |
| 2 | an option, a file or a number that cannot be used |
| 3 | this machine lacks something; the message says how to get it |
| 4 | stopped part-way, and what was measured is kept; or a trace is damaged or cut, so that the answer is not known |
"""


def cell(text: str) -> str:
    """Return text that is safe inside a table's cell."""
    return " ".join(text.split()).replace("|", "\\|")


def option_row(option: click.Option, context: click.Context) -> str:
    """Return one row of the options' table."""
    record = option.get_help_record(context)
    names, description = record if record is not None else (", ".join(option.opts), "")
    return f"| `{cell(names)}` | {cell(description)} |"


def describe(path: str, command: click.Command, parent: click.Context | None) -> list[str]:
    """Return the Markdown lines of a command and of the commands below it."""
    context = click.Context(command, info_name=path.rpartition(" ")[2], parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## {path}", "", *inspect.cleandoc(command.help or "").replace("\b\n", "").splitlines(), ""]
    lines += ["```text", f"{path} {usage}", "```", ""]
    options = [parameter for parameter in command.get_params(context) if isinstance(parameter, click.Option)]
    rows = [option_row(option, context) for option in options if not option.hidden and option.name != "help"]
    if rows:
        lines += ["| option | meaning |", "|---|---|", *rows, ""]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                lines += describe(f"{path} {name}", below, context)
    return lines


def reference() -> str:
    """Return the whole page."""
    group: VerbGroup = cli  # type: ignore[assignment]
    context = click.Context(group, info_name="linkworth")
    lines = [HEAD]
    for verb in VERBS:
        command = group.get_command(context, verb)
        if command is not None:
            lines += describe(f"linkworth {verb}", command, context)
    return "\n".join(lines).rstrip() + "\n"


FABRIC_TABLES = (
    ("", fabric.Fabric),
    ("link.", fabric.Path),
    ("topology.", fabric.Topology),
    ("topology.levels.", fabric.SwitchLevel),
    ("tcp.", fabric.Tcp),
    ("spread.", fabric.Spread),
)
BEGIN = "<!-- Rows: written by scripts/cli_reference.py; `make reference` renews them. -->\n"
END = "<!-- End of the rows. -->\n"


def default_of(field: Declared) -> str:
    """Return a field's default as a file has it."""
    if field.default is msgspec.NODEFAULT:
        return "required"
    if field.parameter.default or field.default == []:
        return field.parameter.default or "none"
    shown = f"{field.default:g}" if isinstance(field.default, float) else str(field.default).lower()
    return f"`{shown}`"


def fields() -> list[tuple[str, ...]]:
    """Return the head and the rows of the table of a fabric's fields."""
    return [
        ("field", "meaning", "default"),
        *(
            (f"`{table}{field.name}`", field.parameter.help, default_of(field))
            for table, kind in FABRIC_TABLES
            for field in declared(kind)
        ),
    ]


def metrics() -> list[tuple[str, ...]]:
    """Return the head and the rows of the table of a study's metrics."""
    return [
        ("metric", "meaning", "unit", "better"),
        *((f"`{each.name}`", each.title, each.unit, each.better or "") for each in METRICS.values()),
    ]


def with_table(path: Path, table: list[tuple[str, ...]]) -> str:
    """Return the page at a path with these rows between the marks."""
    head, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    rows = [f"| {' | '.join(map(cell, row))} |" for row in table]
    lines = ["", rows[0], f"|{'---|' * len(table[0])}", *rows[1:], ""]
    return head + BEGIN + "\n".join(lines) + "\n" + END + rest.partition(END)[2]


def main() -> int:
    """Write the pages. With --check, return 1 if they differ from the declarations."""
    path = Path(sys.argv[-1])
    pages = {path: reference()}
    for name, table in (("fabrics.md", fields()), ("statistics.md", metrics())):
        pages[path.with_name(name)] = with_table(path.with_name(name), table)
    outdated = [
        path for path, page in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != page
    ]
    if "--check" not in sys.argv[1:-1]:
        for path in outdated:
            path.write_text(pages[path], encoding="utf-8")
    elif outdated:
        names = ", ".join(map(str, outdated))
        sys.stderr.write(f"{names}: not what the declarations say; run `make reference` and commit it.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
