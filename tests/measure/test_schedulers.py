"""Report of `linkworth doctor` on batch systems."""

import fake_installation as fake
import pytest

from linkworth.measure.machine import diagnose


def checks():
    return {check.name: check for check in diagnose.schedulers()}


@pytest.fixture
def commands(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.setattr(
        diagnose.shutil, "which", lambda name: str(tmp_path / name) if (tmp_path / name).exists() else None
    )
    return lambda name, text: fake.script(tmp_path / name, text)


def test_a_machine_without_any_says_so(commands):
    assert not any(check.present for check in checks().values())
    assert checks()["PBS"].detail == "qsub is not on PATH"


def test_a_slurm_cluster_and_what_starts_ranks_there(commands):
    commands("sbatch", "echo slurm 22.05.8")
    commands("sinfo", "printf 'gpu 2 idle\\nmain* 60 allocated\\nmain* 3 down*\\nmain* 1 mixed\\n'")
    commands(
        "srun",
        "printf 'MPI plugin types are...\\n\\tpmix\\n\\tnone\\n\\tpmi2\\nspecific pmix plugin versions: pmix_v4\\n' >&2",
    )
    slurm = checks()["Slurm"]
    assert slurm.present
    assert (
        slurm.detail
        == "slurm 22.05.8; partition main: 61 nodes; partition gpu: 2 nodes; srun starts ranks through pmix, pmi2"
    )


def test_slurms_commands_without_a_cluster_are_no_cluster(commands):
    commands("sbatch", "echo slurm 22.05.8")
    commands("sinfo", "echo 'sinfo: error: resolve_ctls_from_dns_srv' >&2; exit 1")
    slurm = checks()["Slurm"]
    assert not slurm.present
    assert "no cluster answers" in slurm.detail


def test_each_system_is_asked_for_its_version_as_it_answers(commands):
    commands(
        "bsub",
        'if [ "$1" = -V ]; then echo "IBM Spectrum LSF 10.1" >&2; else echo "bad option" >&2; exit 255; fi',
    )
    assert checks()["LSF"].detail == "IBM Spectrum LSF 10.1"
    commands("qsub", "echo pbs_version = 22.05.11")
    assert (checks()["PBS"].present, checks()["PBS"].detail) == (True, "pbs_version = 22.05.11")
