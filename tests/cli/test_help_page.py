"""Help pages: all verbs are in a panel, and the examples of each are right."""

import shlex

import pytest
import rich_click as click
from verbs import commands

from linkworth.cli.help_page import EXAMPLES
from linkworth.cli.main import VERB_PANELS, VERBS, cli


def test_every_verb_is_in_one_panel_of_the_page_of_all(printed):
    assert sorted(verb for verbs in VERB_PANELS.values() for verb in verbs) == sorted(VERBS)
    page = printed("--help")
    assert all(title in page for title in VERB_PANELS)
    assert all(verb in page for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_examples_are_shown_and_have_options_that_there_are(verb, printed):
    assert len(EXAMPLES[verb]) >= 2
    for example in EXAMPLES[verb]:
        command: click.Command = cli
        context = click.Context(cli)
        words = shlex.split(example)
        while isinstance(command, click.Group) and words and words[0] in command.list_commands(context):
            found = command.get_command(context, words.pop(0))
            assert found is not None
            command = found
        context = click.Context(
            command, allow_interspersed_args=command.context_settings.get("allow_interspersed_args", True)
        )
        command.make_parser(context).parse_args(words)
    page = printed(verb, "--help")
    assert "Examples:" in page
    assert all(f"linkworth {example.split(' --')[0]}" in page for example in EXAMPLES[verb])


def test_no_option_or_value_is_cut_at_80_columns(printed, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for path, command in commands(cli):
        page = printed(*path, "--help")
        assert max(map(len, page.splitlines())) <= 80, path
        for option in command.params:
            if isinstance(option, click.Option):
                choices = getattr(option.type, "choices", None)
                value = option.metavar or (f"[{'|'.join(choices)}]" if choices else "")
                assert value in page, (path, option.opts)
                assert any(name in page for name in (*option.opts, *option.secondary_opts)), option.opts
        if path == ("advise",):  # help pages are made of copies: options still have all their names
            assert printed(*path, "--help") == page


def test_long_pages_have_panels_and_negative_switches_their_default_in_words(printed):
    page = printed("advise", "--help")
    places = [page.index(title) for title in ("Main options", "Replay", "Prices and goal")]
    assert len(set(places)) == 3
    assert "Main options" not in printed("profile", "--help")
    page = " ".join(printed("predict", "--help").replace("│", "").split())
    assert "--no-contention" in page and "[default: (with contention)]" in page
