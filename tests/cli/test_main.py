"""Slips of the pen on the command line are answered with what was meant."""

import subprocess
import sys

import pytest

from linkworth.cli.main import VERBS, cli, main


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["profil"], "there is no verb 'profil'; did you mean profile?"),
        (["predcit", "x"], "there is no verb 'predcit'; did you mean predict?"),
        (["zzz"], f"there is no verb 'zzz'; there are {', '.join(VERBS)}"),
        (["fabrics", "gbe"], "there is no verb 'gbe' of linkworth fabrics; there are list, show, schema"),
        (["study", "rnu"], "there is no verb 'rnu' of linkworth study; did you mean run?"),
        (["lab", "exprot"], "there is no verb 'exprot' of linkworth lab; did you mean export?"),
        (["scale", "-n", "8"], "give TRACE...; linkworth scale --help explains it"),
        (["run"], "give the program to run, for example ./program"),
        (["predict", "x", "--onn", "gbe"], "there is no option --onn; did you mean --on?"),
        (["predict", "x", "--qqq"], "there is no option --qqq; linkworth predict --help lists them"),
        (["predict", "x"], "Missing option '--on'. Name a network with --on, such as gbe, "),
        (
            ["predict", "x", "--on", "gbe", "--nodes", "0.5"],
            "Invalid value for '--nodes': '0.5' is not a valid integer.",
        ),
        (["predict", "x", "--nodes", "2", "--nodes=4"], "--nodes is given 2 times; give it once"),
        (
            ["predict", "x", "--contention", "--no-contention"],
            "--contention or --no-contention is given 2 times",
        ),
        (["sweep", "x"], "Name a network with --on, such as gbe, "),
        (["lab", "up", "--loss", "200%"], "--loss 200%: a link loses at most 50 % of its packets"),
    ],
)
def test_a_slip_is_answered(words, answer, refused):
    sentence = refused(*words)
    assert answer in sentence
    assert words[0] == "sweep" or sentence.startswith(f"linkworth: {answer}")


def entered(before):
    """Run the console script after some lines of Python."""
    lines = ["import atexit, os, signal, sys, types", before, "from linkworth.cli import entry", "entry()"]
    run = [sys.executable, "-c", "\n".join(lines), "fabrics"]
    return subprocess.run(run, capture_output=True, text=True, timeout=100, check=False)


def test_an_interrupt_while_modules_are_imported_is_one_sentence():
    done = entered(
        """
class Importing(types.ModuleType):
    @property
    def main(self):
        os.kill(os.getpid(), signal.SIGINT)

sys.modules["linkworth.cli.main"] = Importing("linkworth.cli.main")
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (4, "", "linkworth: interrupted\n")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupt_after_the_answer_changes_nothing(name):
    done = entered(f"atexit.register(os.kill, os.getpid(), signal.{name})")
    assert (done.returncode, done.stderr) == (0, "")
    assert "ib-hdr" in done.stdout


def test_too_little_memory_is_one_sentence(monkeypatch, capsys):
    """A count of ranks with zeros too many ends in the engine or in numpy."""

    def allocate(**_):
        raise MemoryError

    monkeypatch.setattr(cli, "main", allocate)
    assert main(["fabrics"]) == 3
    assert capsys.readouterr().err.startswith("linkworth: there is not enough memory for this")
