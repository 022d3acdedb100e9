"""The GitHub workflows only install packages and call make or .ci/run, because they run on GitHub alone."""

import re
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML, which reframe-hpc installs")

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
INSTALLATION = re.compile(r"(sudo )?apt-get (update|install --yes --no-install-recommends [\w .+${}-]+)")


def jobs(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


def steps(path):
    return [step for job in jobs(path).values() for step in job["steps"]]


def targets():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return {name for line in re.findall(r"^\.PHONY: (.*)$", makefile, re.M) for name in line.split()}


def fault(command):
    """Return what is wrong with one command of a `run:`."""
    first, *words = command.split()
    if command == ".ci/run" or INSTALLATION.fullmatch(command):
        return None
    if first != "make":
        return f"{command}: neither make, .ci/run nor an installation"
    unknown = {word for word in words if "=" not in word} - targets()
    return f"{command}: no target {unknown}" if unknown or not words else None


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_steps_call_make_or_install_packages(path):
    commands = [command for step in steps(path) for command in step.get("run", "").split(" && ") if command]
    assert commands
    assert not [found for command in commands if (found := fault(command.strip()))]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_to_a_version(path):
    used = [step["uses"] for step in steps(path) if "uses" in step]
    assert used
    assert not [name for name in used if not re.search(r"@(v\d+\.\d+\.\d+|[0-9a-f]{40})$", name)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_jobs_end_in_time_and_use_what_the_matrix_defines(path):
    for name, job in jobs(path).items():
        assert job["timeout-minutes"] <= 90, name
        matrix = job.get("strategy", {}).get("matrix", {})
        known = set(matrix) | {key for row in matrix.get("include", []) for key in row}
        assert set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", str(job))) <= known, name
