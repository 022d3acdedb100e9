"""A folder that cannot be read is one sentence, whichever folder of a study it is and whichever verb meets it."""

import os
import shutil
import subprocess
import sys

import pytest

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


def linkworth(folder, *words):
    command = [sys.executable, "-m", "linkworth", "study", *words]
    if os.geteuid() == 0:
        command = [*AS_OTHERS, *command]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    if shutil.which("setpriv") is None:
        pytest.skip("there is no setpriv")
    folder = tmp_path_factory.mktemp("unreadable")
    (folder / "s.toml").write_text(STUDY)
    assert linkworth(folder, "run", "s.toml").returncode == 0
    return folder


@pytest.mark.parametrize("hidden", [".", "runs", "traces"])
@pytest.mark.parametrize(
    "words", [("status", "s.study"), ("run", "s.toml"), ("run", "s.toml", "--dry-run"), ("report", "s.study", "--format", "csv")]
)  # fmt: skip
def test_a_folder_without_permission_is_one_sentence(made, hidden, words):
    folder = made / "s.study" / hidden
    folder.chmod(0)
    try:
        done = linkworth(made, *words)
    finally:
        folder.chmod(0o755)
    assert "Traceback" not in done.stderr
    if hidden == "traces":
        assert done.returncode == 0
        if words[0] == "report":
            assert (
                "npb:is.S has no profile: " in done.stderr
                and "cannot be read: Permission denied" in done.stderr
            )
    else:
        assert done.returncode == 2
        [sentence] = done.stderr.splitlines()
        assert "s.study" in sentence and ("Permission denied" in sentence or "not readable" in sentence)
