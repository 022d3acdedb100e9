"""Options behind a program's name belong to the program."""

from pathlib import Path

import pytest

from linkworth.cli import run, trace


@pytest.mark.parametrize("written", [["--iterations", "50"], ["--iterations=50"]])
def test_an_option_that_the_bundled_program_has_too_is_the_programs(written):
    parsed = run.command.make_context("run", ["-n", "2", "stencil:default", *written, "--json", "-o", "kept"])
    assert parsed.params["command"] == ("stencil:default", "--iterations", "50")
    assert parsed.params["iterations"] is None
    assert parsed.params["as_json"] is True
    assert parsed.params["output"] == Path("kept")


def test_options_behind_a_programs_name_that_only_it_or_only_the_verb_has():
    parsed = run.command.make_context(
        "run", ["--iterations", "took ([0-9.]+)", "stencil:default", "--output-every", "5"]
    )
    assert parsed.params["iterations"] == "took ([0-9.]+)"
    assert parsed.params["command"] == ("stencil:default", "--output-every", "5")
    parsed = run.command.make_context("run", ["npb:ep.S", "--iterations", "took ([0-9.]+)"])
    assert parsed.params["iterations"] == "took ([0-9.]+)"
    assert parsed.params["command"] == ("npb:ep.S",)
    parsed = trace.command.make_context("trace", ["-o", "t.lwt", "stencil:default", "--output", "fields"])
    assert parsed.params["command"] == ("stencil:default", "--output", "fields")
    assert str(parsed.params["output"]) == "t.lwt"
    parsed = run.command.make_context("run", ["--", "stencil:default", "--iterations", "50", "--json"])
    assert parsed.params["command"] == ("stencil:default", "--iterations", "50", "--json")
    assert parsed.params["as_json"] is False
    parsed = run.command.make_context("run", ["./solver", "--iterations", "50"])
    assert parsed.params["command"] == ("./solver", "--iterations", "50")
