"""The words for places are the same in study files, in error messages and in the reference."""

from pathlib import Path

import pytest

from linkworth.errors import UsageError
from linkworth.model.place import Place
from linkworth.places.batch import BatchSystem
from linkworth.places.kinds import KINDS, SYSTEMS, forms, parse_place

ROOT = Path(__file__).parents[2]


def test_every_form_is_read_and_in_the_refusal_and_the_documents():
    for form in forms():
        kind, _, name = form.partition(":")
        assert parse_place(form, "gbe") == Place(kind=kind, name=name or ("gbe" if kind == "lab" else ""))
    assert {form.partition(":")[0] for form in forms()} == set(KINDS)
    with pytest.raises(UsageError) as error:
        parse_place("cloud")
    assert all(form in str(error.value) for form in forms())
    study_file = (ROOT / "docs/reference/study-file.md").read_text()
    row = next(line for line in study_file.splitlines() if line.startswith('| `where` | `"local"`'))
    assert not [form for form in forms() if f'`"{form}"`' not in row], "the study file's page lacks them"
    on_a_cluster = (ROOT / "docs/how-to/on-a-cluster.md").read_text()
    assert not [system for system in SYSTEMS if f"`--{system}`" not in on_a_cluster], "the how-to lacks them"


def test_every_batch_system_is_described_in_full():
    needed = BatchSystem.__annotations__.keys() - vars(BatchSystem).keys()
    assert len(needed) > 8
    assert all(getattr(system, each) for system in SYSTEMS.values() for each in needed)
