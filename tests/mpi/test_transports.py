"""Named transports of each MPI library."""

import pytest
from fake_installation import script
from mpi_programs import each_mpi

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import transports


def installation(folder, kind, version, **tools):
    """An MPI in a folder whose tools print what is given."""
    bins = folder / "bin"
    for name, text in tools.items():
        script(bins / name, f"cat <<'END'\n{text}\nEND")
    return MpiInstallation(
        name=f"{kind}-{version}", kind=kind, version=version, library=str(folder / "lib/libmpi.so"),
        library_version="", mpiexec=str(bins / "mpiexec"),
    )  # fmt: skip


def test_open_mpi_has_what_it_was_built_with(tmp_path):
    listing = "mca:btl:tcp:version:mca:2.1.0\nmca:pml:ucx:version:mca:2.1.0"
    mpi = installation(tmp_path, "openmpi", "4.1.4", ompi_info=listing)
    assert transports.names(mpi) == ["default", "tcp", "shm+tcp", "shm-cma", "ucx-tcp", "ucx-shm+tcp"]
    assert transports.settings("shm-cma", mpi).arguments == [
        "--mca", "pml", "ob1", "--mca", "btl", "vader,tcp,self", "--mca", "btl_vader_single_copy_mechanism", "cma",
    ]  # fmt: skip


def test_open_mpi_5_has_other_names_for_shared_memory(tmp_path):
    mpi = installation(tmp_path, "openmpi", "5.0.11", ompi_info="mca:mtl:ofi:version:mca:2.1.0")
    assert "sm,tcp,self" in transports.settings("shm+tcp", mpi).arguments
    assert transports.names(mpi)[-1] == "ofi-tcp"


@pytest.mark.parametrize(
    ("device", "names", "variable"),
    [
        ("ch4:ucx", ["default", "tcp", "shm+tcp", "shm-cma", "ucx-tcp", "ucx-shm+tcp"], "UCX_TLS"),
        ("ch4:ofi", ["default", "tcp", "shm+tcp", "shm-cma", "ofi-tcp"], "FI_PROVIDER"),
    ],
)
def test_mpich_has_what_its_device_has(tmp_path, device, names, variable):
    mpi = installation(
        tmp_path, "mpich", "4.0.2", mpichversion=f"MPICH Version:\t4.0.2\nMPICH Device: \t{device}"
    )
    assert transports.names(mpi) == names
    assert variable in transports.settings("tcp", mpi).environment


def test_mpich_that_does_not_say_its_device_is_told(tmp_path):
    mpi = installation(tmp_path, "mpich", "4.0.2", mpichversion="MPICH Version: 4.0.2")
    with pytest.raises(EnvironmentLacksError, match="does not report its transport"):
        transports.settings("tcp", mpi)


def test_another_library_has_its_own_choice_only(tmp_path):
    mpi = installation(tmp_path, "cray", "8")
    assert transports.names(mpi) == ["default"]
    with pytest.raises(UsageError, match="cray-8 has no transport tcp; it has default"):
        transports.settings("tcp", mpi)


@pytest.mark.parametrize("mpi", each_mpi())
def test_every_name_has_settings(mpi):
    for name in transports.names(mpi):
        found = transports.settings(name, mpi)
        assert (name == "default") == (not found.arguments and not found.environment)
    with pytest.raises(UsageError, match=r"no transport shmtcp \(did you mean shm\+tcp\?\)"):
        transports.settings("shmtcp", mpi)
