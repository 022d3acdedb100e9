"""Write docs/studies/*.md and the table in README.md from the study files and docs/studies/papers.json.

`study_pages.py` writes them; scripts/papers.py --renew makes papers.json first. tests/scripts/test_study_pages.py fails if they
are stale.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from linkworth import units
from linkworth.model.study import Study
from linkworth.report.study.published import PaperBeside
from linkworth.study.definition import shipped_files
from linkworth.study.definition.expression import Selection, parse
from linkworth.study.definition.file import load
from linkworth.study.matrix import layout
from linkworth.study.metrics import metric

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs" / "studies" / "papers.json"
README = ROOT / "README.md"
BEGIN, END = "<!-- make papers -->\n", "<!-- end -->\n"
HEAD = "<!-- Written by scripts/study_pages.py; `make papers` renews it. -->"
PLACES = {
    "": "as in the paper, under Slurm",
    "lab": "reduced, on an emulated cluster of this machine",
    "predict": "full size, without running",
    "given": "likewise, with the paper's times on one network given",
}


def published(path: Path) -> bool:
    """Return whether a study has a paper beside it."""
    return load(path).published is not None


def scales(path: Path) -> list[str]:
    """Return the scales of a study file."""
    return load(path).scales


def renew(document: dict[str, Any]) -> None:
    """Write all pages and the README's table."""
    for name, text in pages(document).items():
        (ROOT / "docs" / "studies" / f"{name}.md").write_text(text, encoding="utf-8")
    README.write_text(with_table(README.read_text(encoding="utf-8"), document), encoding="utf-8")


def with_table(readme: str, document: dict[str, Any]) -> str:
    """Return the README with the table of the document."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table(document)}{END}{after}"


def table(document: dict[str, Any]) -> str:
    """Return one line a paper: numbers compared, median difference, conclusions reached of those counted."""
    lines = ["| paper | numbers compared | median difference | conclusions reached |", "|---|---|---|---|"]
    for paper in document["papers"]:
        lines.append(_line(paper["name"], paper))
        if "given" in paper:
            lines.append(_line(f"{paper['name']}, times on one network given", paper["given"]))
    papers = document["papers"]
    compared, reached = (sum(paper[key] for paper in papers) for key in ("compared", "reached"))
    total = sum(len(paper["conclusions"]) for paper in papers)
    lines.append(f"| all, nothing given | {compared} | | {reached} of {total} |")
    return "\n".join(lines) + "\n"


def _line(name: str, paper: dict[str, Any]) -> str:
    middle = paper["median_difference"]
    return (
        f"| {name} | {paper['compared']} | {units.percent(middle) if middle is not None else '–'} | "
        f"{paper['reached']} of {len(paper['conclusions'])} |"
    )


def pages(document: dict[str, Any]) -> dict[str, str]:
    """Return the text of the page of each study that has a paper, by its name."""
    files = shipped_files.files()
    return {
        paper["name"]: "\n".join(_page(paper["name"], files[paper["name"]], paper)).rstrip("\n") + "\n"
        for paper in document["papers"]
    }


def _page(name: str, path: Path, paper: dict[str, Any]) -> Iterator[str]:
    study = load(path)
    yield f"# {study.title}\n\n{HEAD}\n\n{study.description}\n\n## Run it\n\n```sh"
    commands = {
        f"linkworth study run studies/{name}.toml": PLACES[""],
        f"linkworth study run studies/{name}.toml --where hostfile:hosts": "on the hosts of a file",
    }
    for scale in study.scales:
        commands[f"linkworth study run studies/{name}.toml --scale {scale}"] = PLACES.get(scale, "")
    commands[f"linkworth study report {name}-predict.study"] = ""
    width = max(map(len, commands))
    yield from (f"{command:{width}}  # {what}" if what else command for command, what in commands.items())
    yield "```\n\n## What is run\n"
    yield from _scales(path, study)
    yield "\n## Compared with the paper\n"
    yield from _compared(load(path, scale="predict"), paper)
    if "given" in paper:
        yield "\n## With the paper's times on one network given\n"
        yield from _compared(load(path, scale="given"), paper["given"])


def _scales(path: Path, study: Study) -> Iterator[str]:
    yield "| scale | programs | environments | ranks on nodes | repetitions |\n|---|---|---|---|---|"
    for scale in ["", *study.scales]:
        one = load(path, scale=scale)
        layouts = dict.fromkeys(
            f"{ranks or '?'} on {nodes or '?'}"
            for workload in one.workloads
            for environment in one.environments
            for ranks, nodes, _ in [layout(one, workload, environment)]
        )
        measured = any("measure" in environment.modes for environment in one.environments)
        cells = [
            scale or "cluster",
            ", ".join(_short([workload.name for workload in one.workloads])),
            ", ".join(environment.name for environment in one.environments),
            ", ".join(layouts),
            str(one.repetitions) if measured else "predicted",
        ]
        yield f"| {' | '.join(cells)} |"


def _short(names: list[str]) -> list[str]:
    """Return the names with the classes of one program together: `npb:ft.A to D`."""
    classes: dict[str, list[str]] = {}
    for name in names:
        program, dot, problem = name.rpartition(".") if name.startswith("npb:") else (name, "", "")
        classes.setdefault(program + dot, []).append(problem)
    return [
        f"{program}{found[0]}{f' to {found[-1]}' if len(found) > 1 else ''}"
        for program, found in classes.items()
    ]


def _compared(study: Study, paper: dict[str, Any]) -> Iterator[str]:
    middle = paper["median_difference"]
    yield f"Paper: {paper['source']}.\n"
    if middle is not None:
        yield (
            f"Of {paper['compared']} numbers the median difference is {units.percent(middle)}. "
            f"Of {len(paper['conclusions'])} conclusions {paper['reached']} are reached.\n"
        )
    yield from _numbers(study, paper["numbers"])
    if paper["conclusions"]:
        yield "| conclusion | reached | ours |\n|---|---|---|"
        for each in paper["conclusions"]:
            reached = "yes" if each["reached"] else "**no**" if each["asked"] else "**not asked**"
            yield f"| {each['what']} | {reached} | {each['shown']} |"
    reasons = msgspec.convert(paper, PaperBeside).reasons
    if reasons:
        yield "\n| misses | reason |\n|---|---|"
        yield from (f"| {what} | {miss} |" for what, miss in reasons)


def _numbers(study: Study, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield one table for each matrix of numbers, and one for the numbers that are alone."""
    assert study.published is not None
    matrices: dict[tuple[str, str], dict[str, dict[str, dict[str, Any]]]] = {}
    alone = []
    for number, row in zip(study.published.numbers, rows, strict=True):
        match parse(number.of).selections:
            case [Selection(metric=name, workload=workload, environment=environment)] if row[
                "what"
            ].startswith(f"{workload} on {environment}"):
                matrix = matrices.setdefault((name, number.unit), {})
                matrix.setdefault(workload, {})[environment] = row
            case _:
                alone.append(row)
    for (name, unit), matrix in matrices.items():
        environments = list(dict.fromkeys(each for cells in matrix.values() for each in cells))
        heads = "".join(f" | {each}: paper | ours | difference" for each in environments)
        yield f"| {metric(name).title}{f', {unit}' if unit else ''}{heads} |\n|---{'|---' * 3 * len(environments)}|"
        for workload, cells in matrix.items():
            parts = [_cells(cells[each]) if each in cells else " |  | " for each in environments]
            yield f"| {workload} | {' | '.join(parts)} |"
        yield ""
    if alone:
        yield "| number | paper | ours | difference |\n|---|---|---|---|"
        for row in alone:
            unit = f", {row['unit']}" if row["unit"] else ""
            yield f"| {row['what']}{unit} | {_cells(row)} |"
        yield ""


def _cells(row: dict[str, Any]) -> str:
    difference = row["difference"]
    off = "given" if row["given"] else units.change(difference) if difference is not None else "–"
    return f"{_value(row['paper'])} | {_value(row['ours'])} | {off}"


def _value(value: float | None) -> str:
    if value is None:
        return "–"
    return f"−{units.significant(-value)}" if value < 0 else units.significant(value)


if __name__ == "__main__":
    renew(json.loads(KEPT.read_text(encoding="utf-8")))
