"""Write docs/reference/cli.md from the commands themselves: `cli_reference.py FILE`, or `--check FILE` to compare."""

import inspect
import sys
from pathlib import Path

import rich_click as click

from linkworth.cli.main import VERBS, VerbGroup, cli

HEAD = """# Command line

<!-- Written by scripts/cli_reference.py from the commands; `make reference` renews it. -->

`linkworth VERB --json` prints exactly one JSON document on standard output, with a `schema` of the form
`linkworth.<noun>/1`; everything else goes to standard error. Progress bars appear only on a terminal, and `NO_COLOR` is
honoured.

`-` as the name of an output file (`-o`, `--plot`, `--timeline`, `--html`) is standard output; tables and JSON then go to standard
error. An output is written whole or not at all, through symbolic links, and into devices and pipes without replacing them.

A byte of a name that is not UTF-8 is printed as `\\xNN`, in JSON documents and files too, and so is a control character in tables
and messages. In CSV, a quote stands before a text that a spreadsheet would take for a formula.

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


def main() -> int:
    """Write the page, or return 1 when it is not what the commands say."""
    path = Path(sys.argv[-1])
    page = reference()
    if "--check" not in sys.argv[1:-1]:
        path.write_text(page, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != page:
        sys.stderr.write(f"{path} is not what the commands say: run `make reference` and commit it.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
