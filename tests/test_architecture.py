"""The shape of the source tree: imports point one way, files are small and licensed, no machine's paths are left."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "linkworth"

LAYERS = [
    "errors",
    "interrupts",
    "units",
    "writing",
    "model",
    "statistics",
    "catalog",
    "mpi",
    "places",
    "lab",
    "measure",
    "trace",
    "skeleton",
    "replay",
    "bench",
    "calibrate",
    "convert",
    "profile",
    "predict",
    "advise",
    "study",
    "report",
    "demo",
    "cli",
]
"""A package imports from those before it only. `_engine` and the version may be imported by all."""

LICENCE = "// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0"
LONGEST_FILE = 800
GENERATED = {"docs/reference/cli.md"}
"""Files that `make reference` makes from help texts."""
MACHINE_PATH = re.compile(r"(?<![\w.*-])/(?:work|root|home/\w+|Users/\w+|tmp/\w*probe\w*)/\w")


def tracked_files() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode != 0:
        pytest.skip("not a git clone: which files belong to the project is unknown")
    paths = (ROOT / name for name in listing.stdout.split("\0") if name)
    return [path for path in paths if path.is_file() and "fixtures" not in path.parts]


def imported_layers(path: Path) -> set[str]:
    """Return the first part below `linkworth` of everything that a file imports."""
    own_package = path.relative_to(PACKAGE.parent).parent.parts
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = own_package[: len(own_package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *((node.module,) if node.module else ())))
            names.update(
                {module} if module != "linkworth" else {f"linkworth.{alias.name}" for alias in node.names}
            )
    parts = (name.split(".") for name in names if name.startswith("linkworth."))
    return {part[1] for part in parts}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_package_imports_only_from_those_before_it(layer: str) -> None:
    position = LAYERS.index(layer)
    folder = PACKAGE / layer
    files = list(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{layer}.py"]
    assert files
    for path in files:
        later = {name for name in imported_layers(path) if name in LAYERS[position + 1 :]}
        assert not later, (
            f"{path.relative_to(ROOT)} imports {', '.join(sorted(later))}, which come after {layer}"
        )


def test_every_package_has_its_place_in_the_order() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders <= set(LAYERS), f"add {sorted(folders - set(LAYERS))} to LAYERS"


def test_relative_and_absolute_imports_are_seen() -> None:
    assert "errors" in imported_layers(PACKAGE / "cli" / "main.py")


def test_c_and_cpp_files_open_with_the_licence() -> None:
    sources = [path for path in tracked_files() if path.suffix in {".c", ".h", ".cpp", ".hpp"}]
    assert sources
    unlicensed = [
        str(path.relative_to(ROOT))
        for path in sources
        if path.read_text(encoding="utf-8").splitlines()[:1] != [LICENCE]
    ]
    assert not unlicensed


def test_no_file_is_longer_than_one_idea() -> None:
    suffixes = {".py", ".c", ".h", ".cpp", ".hpp", ".sh", ".js", ".css", ".md"}
    long = {
        str(path.relative_to(ROOT)): lines
        for path in tracked_files()
        if path.suffix in suffixes
        and str(path.relative_to(ROOT)) not in GENERATED
        and (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    }
    assert not long


def test_no_path_of_a_developers_machine_is_left() -> None:
    found = []
    for path in tracked_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{n}" for n, line in enumerate(lines, 1) if MACHINE_PATH.search(line)
        ]
    assert not found


def test_the_wheel_leaves_out_no_file_of_the_package() -> None:
    tracked = [str(path.relative_to(ROOT)) for path in tracked_files()]
    packaged = [path for path in tracked if path.startswith(("src/linkworth/", "native/"))]
    # The builder of wheels skips what .gitignore names, also if it is tracked.
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin"],
        cwd=ROOT,
        input="\n".join(packaged),
        capture_output=True,
        text=True,
        check=False,
    )
    assert packaged and not done.stdout
