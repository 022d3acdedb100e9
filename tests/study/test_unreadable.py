"""A folder that cannot be read is one sentence, whichever folder of a study it is and whichever verb meets it."""

import itertools
import json
import os
import shutil
import sys

import pytest
from run_program import output_of

STUDY = (
    'mode = "predict"\nworkloads = ["npb:is.S"]\nenvironments = ["gbe"]\nranks = 4\n'
    '[predict]\nmachine = "xeon-e5-2650v3-x2"\n'
)
AS_OTHERS = (
    "setpriv",
    "--bounding-set=-dac_override,-dac_read_search",
    "--inh-caps=-dac_override,-dac_read_search",
)
"""Takes from root what lets it read everything."""
ANSWERS = """
import contextlib, io, json, os, sys
from pathlib import Path
from linkworth.cli.main import main
from linkworth.report import writer
writer.can_draw = lambda: False  # it takes most of the time
assert main(["study", "run", "s.toml", "--json"]) == 0
found = []
for hidden, words in json.loads(sys.argv[1]):
    Path("s.study", hidden).chmod(0)
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
        code = main(["study", *words.split()])
    Path("s.study", hidden).chmod(0o755)
    found.append((code, said.getvalue()))
print(json.dumps(found))
"""
"""A program that runs a study, and calls verbs while a folder is hidden. It prints their exit codes and standard error."""
WORDS = ("status s.study", "run s.toml", "run s.toml --dry-run", "report s.study --format csv")
CASES = list(itertools.product((".", "runs", "traces"), WORDS))


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Each case's exit code and standard error, all from one process."""
    if shutil.which("setpriv") is None:
        pytest.skip("there is no setpriv")
    folder = tmp_path_factory.mktemp("unreadable")
    (folder / "s.toml").write_text(STUDY)
    command = [*(AS_OTHERS if os.geteuid() == 0 else ()), sys.executable, "-c", ANSWERS, json.dumps(CASES)]
    answered = json.loads(output_of(command, cwd=folder).splitlines()[-1])
    return dict(zip(CASES, answered, strict=True))


@pytest.mark.parametrize(("hidden", "words"), CASES)
def test_a_folder_without_permission_is_one_sentence(answers, hidden, words):
    code, said = answers[hidden, words]
    if hidden == "traces":
        assert code == 0
        if words.startswith("report"):
            assert "npb:is.S has no profile: " in said and "cannot be read: Permission denied" in said
    else:
        assert code == 2
        [sentence] = said.splitlines()
        assert "s.study" in sentence and ("Permission denied" in sentence or "not readable" in sentence)
