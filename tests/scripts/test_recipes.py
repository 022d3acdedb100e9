"""Recipes of a release, filled in and run with stand-ins for the functions of Spack and Lmod."""

import hashlib
import subprocess
import sys
import tomllib
import types
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML, which reframe-hpc installs")

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
REQUIRED = dict(text.split(">=") for text in PROJECT["project"]["dependencies"])
CONTENT = b"any bytes"


def write(folder, name):
    sdist = folder / name
    sdist.write_bytes(CONTENT)
    command = [sys.executable, str(ROOT / "scripts/recipes.py"), str(sdist), str(folder / "recipes")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def recipes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    done = write(folder, "linkworth-7.8.9.tar.gz")
    assert done.returncode == 0, done.stderr
    return folder / "recipes"


def test_no_placeholder_is_left_and_every_recipe_has_the_version(recipes):
    files = [path for path in recipes.rglob("*") if path.is_file()]
    assert len(files) == 5
    for path in files:
        text = path.read_text()
        assert "7.8.9" in text
        assert not any(f"@{name}@" in text for name in ("version", "sha256", "summary", "python"))


def test_spack_requires_what_the_project_requires(recipes, monkeypatch):
    told: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def directive(name):
        return lambda *words, **options: told.append((name, words, options))

    names = ["license", "version", "variant", "depends_on", "conflicts"]
    spack = types.ModuleType("spack.package")
    spack.__dict__.update({name: directive(name) for name in names}, __all__=names)
    base = types.ModuleType("spack_repo.builtin.build_systems.python")
    base.__dict__["PythonPackage"] = type("PythonPackage", (), {})
    for module in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        monkeypatch.setitem(sys.modules, module, types.ModuleType(module))
    monkeypatch.setitem(sys.modules, "spack.package", spack)
    monkeypatch.setitem(sys.modules, "spack_repo.builtin.build_systems.python", base)
    exec(compile((recipes / "spack/py_linkworth/package.py").read_text(), "package.py", "exec"), {})

    run = {words[0] for name, words, options in told if name == "depends_on" and "run" in options["type"]}
    assert {f"py-{name}@{lowest}:" for name, lowest in REQUIRED.items()} <= run
    assert f"python@{PROJECT['project']['requires-python'].removeprefix('>=')}:" in run
    assert ("version", ("7.8.9",), {"sha256": hashlib.sha256(CONTENT).hexdigest()}) in told


def test_conda_requires_what_the_project_requires(recipes):
    recipe = yaml.safe_load((recipes / "conda/recipe.yaml").read_text())
    needed = recipe["requirements"]
    assert set(needed["run"]) == {"python", *(f"{name} >={lowest}" for name, lowest in REQUIRED.items())}
    built_with = {text.replace(">=", " >=") for text in PROJECT["build-system"]["requires"]}
    assert built_with <= set(needed["host"])
    assert recipe["source"]["sha256"] == hashlib.sha256(CONTENT).hexdigest()
    assert recipe["build"]["python"]["entry_points"] == ["linkworth = linkworth.cli:entry"]


@pytest.mark.requires("lua")
def test_the_module_adds_the_command_alone(recipes, tmp_path):
    script = tmp_path / "lmod.lua"
    script.write_text(
        'function pathJoin(a, b) return a .. "/" .. b end\n'
        "function whatis() end function help() end function conflict() end\n"
        'function prepend_path(name, path) print(name .. "=" .. path) end\n'
        f'dofile("{recipes / "module/linkworth.lua"}")\n'
    )
    done = subprocess.run(["lua", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "PATH=/opt/linkworth/7.8.9/bin\n"), done.stderr


def test_another_file_is_refused(tmp_path):
    done = write(tmp_path, "linkworth.zip")
    assert done.returncode == 1
    assert "not a source distribution (linkworth-VERSION.tar.gz)" in done.stderr
