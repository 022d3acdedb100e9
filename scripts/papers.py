"""Predict the experiments of the five papers and hold them beside what was published: `papers.py FOLDER [--renew] [--only NAME]`.

FOLDER gets one folder a study and papers.json. --renew also renews what this repository keeps of it: docs/studies/papers.json,
the pages docs/studies/*.md and the table in README.md.
"""

import argparse
import hashlib
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import study_pages

from linkworth.errors import LinkworthError
from linkworth.report.study.published import PaperBeside, compare_with_paper
from linkworth.report.study.request import traces_of
from linkworth.report.study.results import Results, smaller_problems
from linkworth.report.study.trace_profiles import profiles_of
from linkworth.study import resume
from linkworth.study.definition import shipped_files
from linkworth.study.definition.expression import parse
from linkworth.study.runner import run_study
from linkworth.study.store import Store

SCHEMA = "linkworth.papers/1"
MODES = ("predict", "given")
"""Scales: as the paper with nothing given, and with the paper's times on one network given."""


FAILED: list[str] = []
"""Predictions that failed: nothing is renewed then."""


def main() -> int:
    """Run the studies, write the files and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--renew", action="store_true", help="also renew docs/studies and README.md")
    parser.add_argument(
        "--reuse", action="store_true", help="keep predictions in FOLDER: for a change of words alone"
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="predict this study; others as kept")
    given = parser.parse_args()
    kept = json.loads(study_pages.KEPT.read_text(encoding="utf-8")) if given.only else {"papers": []}
    known = {paper["name"]: paper for paper in kept["papers"] if paper["name"] not in given.only}
    try:
        document = {
            "schema": SCHEMA,
            "papers": [
                known.get(name) or entry(name, path, given.folder, reuse=given.reuse)
                for name, path in shipped_files.files().items()
                if study_pages.published(path)
            ],
        }
    except LinkworthError as error:
        say(f"papers: {error}")
        return error.exit_code
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    (given.folder / "papers.json").write_text(text, encoding="utf-8")
    if given.renew and not FAILED:
        study_pages.KEPT.write_text(text, encoding="utf-8")
        study_pages.renew(document)
    sys.stdout.write(study_pages.table(document))
    return 1 if FAILED else 0


def say(sentence: str) -> None:
    """Print a sentence beside the answer."""
    sys.stderr.write(f"{sentence}\n")


def entry(name: str, path: Path, folder: Path, *, reuse: bool) -> dict[str, Any]:
    """Return the document's entry of one study."""
    scales = study_pages.scales(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    found = {scale: predicted(path, scale, folder, reuse=reuse) for scale in MODES if scale in scales}
    first = MODES[0]
    return {
        "name": name,
        "sha256": digest,
        **found[first],
        **{scale: rest for scale, rest in found.items() if scale != first},
    }


def predicted(path: Path, scale: str, folder: Path, *, reuse: bool) -> dict[str, Any]:
    """Return what one scale of a study gives, predicted anew unless asked otherwise: old records may be of another engine."""
    began = time.monotonic()
    results = folder / f"{path.stem}-{scale}.study"
    if resume.is_begun(results) and not reuse:
        shutil.rmtree(results)
    store = resume.begin(path, folder=results, scale=scale, accept_changes=True)
    status = run_study(store)
    for run, cause in status.problems.items():
        FAILED.append(run)
        say(f"papers: {run}: {cause}")
    paper = paper_of(store)
    assert paper is not None
    say(f"{path.stem} {scale}: {time.monotonic() - began:.0f} s")
    return as_entry(paper)


def paper_of(store: Store) -> PaperBeside | None:
    """Return a study's paper beside its results; None for a study without a `[published]` table.

    Profiles are made only for traces whose group a conclusion names.
    """
    published = store.study.published
    if published is None:
        return None
    named = {
        each.workload
        for conclusion in published.conclusions
        for each in parse(conclusion.holds).selections
        if each.metric == "group"
    }
    smaller = smaller_problems([workload.name for workload in store.study.workloads])
    wanted = named | {smaller[name] for name in named if name in smaller}
    traces = {key: path for key, path in traces_of(store).items() if key[0] in wanted}
    profiles, _ = profiles_of(traces, smaller)
    return compare_with_paper(Results(store.study, store.records(), profiles))


def as_entry(paper: PaperBeside) -> dict[str, Any]:
    """Return a paper as the document has it, with floats of four digits, so that two runs of one version are the same text."""
    return {
        "source": paper.source,
        "compared": len(paper.compared),
        "median_difference": _rounded(paper.median_difference),
        "reached": paper.reached,
        "numbers": [_rounded(msgspec.to_builtins(number)) for number in paper.numbers],
        "conclusions": [msgspec.to_builtins(conclusion) for conclusion in paper.conclusions],
    }


def _rounded(value: Any) -> Any:  # noqa: ANN401 (part of a JSON document)
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


if __name__ == "__main__":
    sys.exit(main())
