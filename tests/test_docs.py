"""The documentation is true: navigation, links, commands, options and terms."""

import re
import shlex
import sys
import tomllib
from pathlib import Path

import click
from run_program import output_of

from linkworth.cli.main import cli

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def navigation(entries):
    paths: list[str] = []
    for entry in entries:
        for target in entry.values() if isinstance(entry, dict) else [entry]:
            paths += navigation(target) if isinstance(target, list) else [str(target)]
    return paths


def commands():
    """Return every `linkworth VERB ...` of the shell blocks, with the file it stands in."""
    found = []
    for path in TEXTS:
        for block in re.findall(
            r"^```(?:sh|console)\n(.*?)^```", path.read_text(encoding="utf-8"), re.S | re.M
        ):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["linkworth"] and len(words) > 1:
                    found.append((path.name, words[1:]))
    return found


def test_every_page_is_in_the_navigation_once():
    project = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    pages = [str(page.relative_to(ROOT / "docs")) for page in PAGES]
    assert sorted(navigation(project["nav"])) == sorted(pages)


def test_links_to_files_lead_somewhere():
    assert not [
        (path.name, target)
        for path in TEXTS
        for target in LINK.findall(path.read_text(encoding="utf-8"))
        if "://" not in target and not (path.parent / target).exists()
    ]


def test_files_and_modules_that_the_text_names_exist():
    wrong = []
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        files = re.findall(r"`((?:src|native|tests|docs|scripts|benchmarks|studies)/[\w./*-]+)`", text)
        modules = [name.replace(".", "/") for name in re.findall(r"`(linkworth(?:\.\w+)+)`", text)]
        places = [[name] for name in files]
        places += [
            [f"src/{name}", f"src/{name}.py*", f"src/{name.rpartition('/')[0]}.py"] for name in modules
        ]
        wrong += [(path.name, names) for names in places if not any(any(ROOT.glob(name)) for name in names)]
    assert not wrong


def test_the_command_reference_is_what_the_commands_say():
    page = ROOT / "docs" / "reference" / "cli.md"
    output_of([sys.executable, ROOT / "scripts" / "cli_reference.py", "--check", page])


def unknown(words):
    """Return the words of a command that name no verb or option."""
    command: click.Command = cli
    context = click.Context(cli, info_name="linkworth")
    own = words[: words.index("--")] if "--" in words else words
    while own and isinstance(command, click.Group):
        below = command.get_command(context, own[0])
        if below is None:
            if command is cli:
                return own[:1]
            break
        command, own = below, own[1:]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    used = [word.partition("=")[0] for word in own if re.match(r"--?[A-Za-z]", word)]
    return [option for option in used if option not in known | {"--help", "-h"}]


def test_commands_in_the_documentation_use_options_that_exist():
    found = commands()
    assert len(found) > 100
    assert not [(page, words) for page, words in found if unknown(words)]
    assert unknown(["absent"]) and unknown(["predict", "t.lwt", "--absent"])


def test_the_code_uses_the_terms_of_the_glossary():
    rows = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8").splitlines()
    cells = [row.split("|") for row in rows if row.startswith("|") and "`" in row.split("|")[3]]
    names = {name for cell in cells for name in re.findall(r"`([^`]+)`", cell[3])}
    sources = [path for top in ("src", "native") for path in (ROOT / top).rglob("*.*")]
    code = [
        path.read_text(encoding="utf-8") for path in sources if path.suffix in {".py", ".c", ".hpp", ".cpp"}
    ]
    used = set(re.findall(r"(?:--)?\w+", "\n".join(code)))
    assert len(names) > 40
    assert not names - used
