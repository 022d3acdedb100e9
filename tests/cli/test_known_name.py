"""The shell completes names of the catalog and files."""

import pytest
from click.shell_completion import ShellComplete

from linkworth.cli.main import cli


@pytest.mark.parametrize(
    ("words", "typed", "names"),
    [
        (["predict", "x.lwt", "--on"], "ib-h", ["ib-hdr"]),
        (["report", "x.lwt", "--on"], "./gb", []),
        (["predict"], "npb:f", ["npb:ft"]),
        (["predict"], "", []),
        (["trace", "-n", "4", "--"], "sten", ["stencil"]),
        (["machines", "show"], "zzz", []),
    ],
)
def test_names_and_files_are_completed(words, typed, names):
    files, *found = ShellComplete(cli, {}, "linkworth", "_LINKWORTH_COMPLETE").get_completions(words, typed)
    assert (files.type, files.value) == ("file", typed)
    assert [each.value for each in found] == names
