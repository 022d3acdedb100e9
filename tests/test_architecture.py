"""The shape of the source tree: imports point one way, files are small and licensed, no machine's paths are left."""

import ast
import re
import subprocess
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "linkworth"

LAYERS = [
    "errors", "interrupts", "units", "reading", "writing", "model", "statistics", "catalog", "mpi", "places", "lab", "measure",
    "trace", "skeleton", "replay", "bench", "calibrate", "convert", "profile", "predict", "scale", "advise", "study",
    "report", "demo", "api", "cli",
]  # fmt: skip
"""A package imports from those before it only. `_engine` and the version may be imported by all."""

NATIVE_LAYERS = [
    "programs", "netbench", "tracer", "ranks", "sizeprobe", "lab", "otf2", "calls", "trace", "replay", "profile",
    "convert", "skeleton", "scale", "bindings",
]  # fmt: skip
"""A folder of `native` includes files of those before it only. Its subfolders belong to it."""

MOST_PARAMETERS = 8
WRITES_OPTIONS_OF = {
    "advise/allocate/submit.py": "sbatch",
    "bench/settings.py": "lw-netbench",
    "convert/otf2_library.py": "otf2-config",
    "lab/container.py": "systemd-nspawn",
    "lab/entering.py": "nsenter",
    "lab/export/lxd.py": "sysctl and systemctl",
    "lab/kernel.py": "unshare",
    "lab/launcher.py": "mpiexec",
    "measure/machine/tools.py": "compilers and tools",
    "measure/srun_check.py": "srun",
    "mpi/identify.py": "mpiexec",
    "mpi/linkage.py": "ldd",
    "mpi/python_program.py": "python",
    "mpi/transports.py": "mpiexec",
    "places": "launchers and batch systems",
    "replay/mpi_settings.py": "mpiexec",
    "skeleton/calibrate.py": "the bundled programs",
    "skeleton/machine.py": "the bundled programs",
    "study/micro.py": "a study file's bench: command",
}
"""Files and packages outside `cli` that contain options, and the programs that those belong to."""
OPTION = re.compile(r"(?<![\w-])--[a-z{]")
PROSE = re.compile(r"[:;,] |\b(give|leave|use|with|choose) ")
SCRIPT = re.compile(r"\n|^srun ")

LICENCE = "// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0"
LONGEST_FILE = 800
GENERATED = {"docs/reference/cli.md"}
"""Files that `make reference` makes from help texts."""
MACHINE_PATH = re.compile(r"(?<![\w.*-])/(?:work|root|home/\w+|Users/\w+|tmp/\w*probe\w*)/\w")


@cache
def parsed(path):
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path):
    """Return the nodes of a file's syntax tree, which most tests here go through."""
    return tuple(ast.walk(parsed(path)))


def tracked_files():
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


def imported(path):
    """Return the modules of linkworth that a file imports, also in functions, and names that may be modules."""
    own_package = path.relative_to(PACKAGE.parent).parent.parts
    names: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = own_package[: len(own_package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *((node.module,) if node.module else ())))
            names.update([module, *(f"{module}.{alias.name}" for alias in node.names)])
    return {name for name in names if name.startswith("linkworth.")}


def imported_layers(path):
    """Return the first part below `linkworth` of everything that a file imports."""
    return {name.split(".")[1] for name in imported(path)}


def test_a_package_imports_only_from_those_before_it():
    wrong = []
    for position, layer in enumerate(LAYERS):
        folder = PACKAGE / layer
        files = list(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{layer}.py"]
        assert files
        for path in files:
            later = imported_layers(path) & set(LAYERS[position + 1 :])
            wrong += [f"{path.relative_to(ROOT)} imports {name}, which comes later" for name in sorted(later)]
    assert not wrong


def test_no_files_import_each_other():
    files = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    }
    imports = {module: imported(path) & set(files) for module, path in files.items()}
    assert list(TopologicalSorter(imports).static_order())


def test_every_package_has_its_place_in_the_order():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders <= set(LAYERS), f"add {sorted(folders - set(LAYERS))} to LAYERS"


def texts(path):
    """Return the strings of a file with their lines, without docstrings. `{}` stands for a value in an f-string."""
    found = []
    skipped: set[ast.AST] = set()
    for node in nodes(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            found.append((node.lineno, "".join(map(str, parts))))
            skipped.update(node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            found.append((node.lineno, node.value))
    return found


def test_only_the_command_line_writes_its_options():
    """A library cannot speak in flags: its messages name parameters, as `linkworth.errors` describes."""
    wrong = []
    with_options = set()
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith("cli/"):
            continue
        for line, text in texts(path):
            if not OPTION.search(text):
                continue
            key = name if name in WRITES_OPTIONS_OF else name.partition("/")[0]
            with_options.add(key)
            if key not in WRITES_OPTIONS_OF or (PROSE.search(text) and not SCRIPT.search(text)):
                wrong.append(f"{name}:{line}: {text[:80]!r}")
    assert not wrong, (
        "name the file and the other program in WRITES_OPTIONS_OF, or the parameter in the message"
    )
    assert with_options == set(WRITES_OPTIONS_OF), "the table names files without options"


def test_a_public_class_name_means_one_thing():
    files: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        if path.parent == PACKAGE / "api":
            continue  # its classes add to those of the same names what users call
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                files.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert not {name: found for name, found in files.items() if len(found) > 1}


def test_a_native_folder_includes_only_those_before_it():
    native = ROOT / "native"
    sources = [path for path in native.rglob("*") if path.suffix in {".c", ".h", ".cpp", ".hpp"}]

    def folder(path):
        return path.relative_to(native).parts[0]

    assert {folder(path) for path in sources} == set(NATIVE_LAYERS), (
        "each folder has one place in NATIVE_LAYERS"
    )
    wrong = []
    for path in sources:
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            beside = path.parent / name
            found = (
                [beside]
                if beside.exists()
                else [each for each in sources if each.as_posix().endswith(f"/{name}")]
            )
            later = NATIVE_LAYERS[NATIVE_LAYERS.index(folder(path)) + 1 :]
            if found and folder(found[0].resolve()) in later:
                wrong.append(f"{path.relative_to(ROOT)} includes {name}")
    assert not wrong


def is_verb(function):
    """Return whether click calls a function, with a parameter for each option."""
    return any("command" in ast.unparse(each) for each in function.decorator_list)


def test_no_function_takes_more_than_eight_parameters():
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef) and not is_verb(node):
                given = [
                    each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                ]
                if len(given) - (given[:1] in (["self"], ["cls"])) > MOST_PARAMETERS:
                    found.add(f"{path.relative_to(PACKAGE).as_posix()} {node.name}")
    assert found == set()


def test_relative_and_absolute_imports_are_seen():
    assert "errors" in imported_layers(PACKAGE / "cli" / "main.py")


def test_c_and_cpp_files_open_with_the_licence():
    sources = [path for path in tracked_files() if path.suffix in {".c", ".h", ".cpp", ".hpp"}]
    assert sources
    unlicensed = [
        str(path.relative_to(ROOT))
        for path in sources
        if path.read_text(encoding="utf-8").splitlines()[:1] != [LICENCE]
    ]
    assert not unlicensed


def test_no_file_is_longer_than_one_idea():
    suffixes = {".py", ".c", ".h", ".cpp", ".hpp", ".sh", ".js", ".css", ".md"}
    long = {
        str(path.relative_to(ROOT)): lines
        for path in tracked_files()
        if path.suffix in suffixes
        and str(path.relative_to(ROOT)) not in GENERATED
        and (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    }
    assert not long


def test_the_page_of_a_native_folder_names_each_of_its_files():
    unnamed = [
        str(path.relative_to(ROOT))
        for path in tracked_files()
        if path.suffix in {".c", ".h", ".cpp", ".hpp"}
        and (page := path.with_name("README.md")).exists()
        and f"`{path.stem}" not in page.read_text(encoding="utf-8")
    ]
    assert not unnamed


def test_no_path_of_a_developers_machine_is_left():
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


def test_the_wheel_leaves_out_no_file_of_the_package():
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
