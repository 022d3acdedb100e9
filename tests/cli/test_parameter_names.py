"""Messages of the library name parameters, and the command line prints the options that give them."""

import ast
import re
from pathlib import Path

import click
import pytest

from linkworth.cli import parameter_names
from linkworth.cli.main import VERBS, cli

SOURCES = Path(parameter_names.__file__).parents[1]


@pytest.fixture(autouse=True)
def restored():
    before = list(parameter_names._used)
    yield
    parameter_names._used[:] = before


def test_a_message_has_the_options_of_its_verb(refused):
    assert "linkworth: --nodes 2: this machine is one node" in refused("run", "--nodes", "2", "--", "true")


def test_names_spellings_and_other_words():
    @click.group
    def verb():
        pass

    @verb.command
    @click.option("-n", "--ranks", "count")
    @click.option("--cpu-factor", "factor")
    def part(count, factor):
        pass

    parameter_names.use(verb)
    assert (
        parameter_names.spelled("`ranks`, `count`, `cpu_factor` and `factor`")
        == "-n, -n, --cpu-factor and --cpu-factor"
    )
    assert parameter_names.spelled("`nodes` and `linkworth run`") == "`nodes` and `linkworth run`"


def test_every_parameter_that_opens_a_message_is_an_option_of_some_verb():
    context = click.Context(cli)
    known = {
        name
        for verb in VERBS
        if (command := cli.get_command(context, verb))
        for name, _ in parameter_names._options(command, context)
    }
    unknown = []
    for path in SOURCES.rglob("*.py"):
        text = path.read_text()
        nodes = [
            node
            for call in (ast.walk(ast.parse(text)) if re.search(r'"`[a-z_]+`', text) else ())
            if isinstance(call, ast.Call) and getattr(call.func, "id", "").endswith("Error")
            for node in ast.walk(call)
        ]
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found = re.match(r"`([a-z_]+)`( $|: |$)", node.value)
                if found and "cli" not in path.parts and found[1] not in known:
                    unknown.append(f"{path.relative_to(SOURCES)}:{node.lineno}: {found[1]}")
    assert not unknown
