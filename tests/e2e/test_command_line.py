"""The command line as a shell sees it: exit codes, standard output and standard error of the real program."""

import json
import subprocess
import sys

import pytest
from command import LinkworthCommand

from linkworth import __version__
from linkworth.cli.main import VERBS


def test_version(linkworth: LinkworthCommand) -> None:
    done = linkworth("--version", start=(sys.executable, "-m", "linkworth"))
    assert done.returncode == 0
    assert __version__ in done.stdout


def test_help_names_every_verb(linkworth: LinkworthCommand) -> None:
    done = linkworth("--help")
    assert done.returncode == 0
    for verb in VERBS:
        assert f" {verb} " in done.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_help_for_each_option(linkworth: LinkworthCommand, verb: str) -> None:
    done = linkworth(verb, "--help")
    assert done.returncode == 0, done.stderr
    assert "Usage: linkworth " + verb in done.stdout


def test_an_unknown_verb_is_a_usage_error_in_one_sentence(linkworth: LinkworthCommand) -> None:
    done = linkworth("predcit")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "predcit" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("noun", ["apps", "fabrics", "machines", "prices"])
def test_json_is_one_document_on_standard_output(linkworth: LinkworthCommand, noun: str) -> None:
    done = linkworth(noun, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["schema"].startswith("linkworth.")


def test_help_loads_none_of_the_heavy_modules() -> None:
    code = (
        "import sys, linkworth.cli.main as m; m.main(['--help']); "
        "sys.exit(' '.join(n for n in ('numpy', 'altair', 'vl_convert', 'jinja2') if n in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
