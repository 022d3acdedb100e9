"""Files of results."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from linkworth.bench import store
from linkworth.errors import UsageError


def test_a_file_keeps_what_it_has(latency, beff, tmp_path):
    path = tmp_path / "results.json"
    store.ResultFile(path).add(latency)
    assert json.loads(path.read_text())["schema"] == "linkworth.bench/1"
    store.ResultFile(path).add(beff)
    assert json.loads(path.read_text())["schema"] == "linkworth.bench-set/1"
    assert store.read(path) == [latency, beff]


def test_what_another_process_adds_meanwhile_stays(latency, beff, tmp_path):
    path = tmp_path / "results.json"
    several = [store.ResultFile(path) for _ in range(8)]
    with ThreadPoolExecutor(len(several)) as pool:
        for added in [pool.submit(each.add, latency) for each in several]:
            added.result()
    several[0].add(beff)
    assert store.read(path) == [latency] * len(several) + [beff]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "not a result of linkworth bench"),
        ('{"schema": "linkworth.run/1"}', "its schema is linkworth.run/1"),
        ("{}", "its schema is not given"),
        ('{"schema": "linkworth.bench/1", "test": "latency"}', "'rows' is missing"),
        ("[1]", "not a result of linkworth bench"),
    ],
)
def test_foreign_files_are_named_and_left_alone(content, sentence, tmp_path):
    path = tmp_path / "foreign.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=sentence):
        store.ResultFile(path)
    assert path.read_text() == content


def test_a_missing_folder_is_said_before_anything_is_measured(tmp_path):
    with pytest.raises(UsageError, match="there is no folder"):
        store.ResultFile(tmp_path / "nowhere" / "results.json")
