"""A study whose runs are on the hosts of a file, reached by an ssh that has no network."""

import pytest
from ssh_hosts import two_hosts

from linkworth.errors import UsageError
from linkworth.study import resume as taking_up
from linkworth.study.runner import run_study

STUDY = """\
repetitions = 2
ranks = 2
measure = ["time", "counters"]
workloads = ["hostname"]
environments = [{ name = "hosts", nodes = 2 }]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(STUDY)
    return path


@pytest.mark.requires("namespaces", "mpi")
def test_runs_are_on_the_hosts_also_when_the_study_is_taken_up_in_another_folder(file, tmp_path, monkeypatch):
    _, path = two_hosts(tmp_path)
    monkeypatch.setenv("PATH", path)
    monkeypatch.chdir(tmp_path)
    store = taking_up.begin(file, folder=tmp_path / "s.study", where="hostfile:hosts")
    assert run_study(store, filters=["repetition=0"]).done == 1
    assert (
        taking_up.begin(file, folder=tmp_path / "s.study", where="hostfile:hosts").manifest == store.manifest
    )
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    status = run_study(taking_up.resume(tmp_path / "s.study"))
    assert (status.total, status.done) == (2, 2), status.problems
    for record in store.records():
        assert record.facts["nodes"] == "hosta, hostb"
        assert [node.node for node in record.counters] == ["hosta", "hostb"]
        output = (store.folder / "runs" / record.run / "output.txt").read_text().splitlines()
        # Open MPI 4 reports this if an ssh starts before its parent goes on.
        said = [line for line in output if "plm:rsh: Warning: setpgid" not in line]
        assert sorted(said) == ["hosta", "hostb"]


def test_a_file_of_hosts_that_is_not_there_is_said_before_anything_is_made(file, tmp_path):
    folder, hosts = tmp_path / "s.study", tmp_path / "hosts"
    with pytest.raises(UsageError, match="hosts: No such file"):
        taking_up.begin(file, folder=folder, where=f"hostfile:{hosts}")
    assert not folder.exists()
    hosts.write_text("a\nb\n")
    store = taking_up.begin(file, folder=folder, where=f"hostfile:{hosts}")
    hosts.unlink()
    with pytest.raises(UsageError, match="hosts: No such file"):
        run_study(store)
    assert store.records() == []
