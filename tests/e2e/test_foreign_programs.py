"""Programs of other projects, as a distribution installs them: recorded, profiled, predicted and advised on."""

from pathlib import Path

import pytest

LENNARD_JONES = """
units lj
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 20
run 60
"""


def answer(linkworth, verb, *arguments):
    return linkworth.json(verb, *arguments)


@pytest.mark.requires("netpipe")
def test_netpipe_gives_the_bytes_that_it_exchanged(linkworth, tmp_path):
    # One repetition of each size up to 4096 bytes, both ways.
    recorded = answer(
        linkworth, "trace", "-n", "2", "-o", "np.lwt", "--", "NPopenmpi", "-u", "4096", "-n", "10", "-p", "0"
    )
    assert (recorded["ranks"], recorded["state"], recorded["unmodelled"]) == (2, "complete", {})
    profile = answer(linkworth, "profile", "np.lwt")
    sizes = {(size["lowest_bytes"], size["highest_bytes"]) for size in profile["message_sizes"]}
    assert any(low <= 4096 <= high for low, high in sizes)
    (first, second) = profile["matrix"]["bytes"]
    assert first[1] == pytest.approx(second[0], rel=0.1)

    found = answer(linkworth, "predict", "np.lwt", "--nodes", "2", "--on", "gbe", "--on", "ib-hdr")
    slow, fast = found["predictions"]
    assert slow["seconds"] > fast["seconds"] > 0
    # A ping-pong has both ranks' messages on its critical path, so bytes between nodes are all that were sent.
    assert slow["internode_bytes"] == first[1] + second[0]


@pytest.mark.requires("lammps")
def test_lammps_runs_as_installed(linkworth, tmp_path):
    (tmp_path / "in.lj").write_text(LENNARD_JONES)
    recorded = answer(linkworth, "trace", "-n", "4", "-o", "lj.lwt", "--", "lmp", "-in", "in.lj")
    assert (recorded["ranks"], recorded["state"]) == (4, "complete")
    profile = answer(linkworth, "profile", "lj.lwt")
    assert {"MPI_Send", "MPI_Allreduce"} <= {call["name"] for call in profile["calls"]}
    assert 0 < profile["pop"]["load_balance"] <= 1
    advice = answer(
        linkworth, "advise", "lj.lwt", "--nodes", "2", "--price", "gbe=0.78", "--price", "ib-fdr=0.975"
    )
    times = {option["fabric"]: option["seconds"] for option in advice["options"]}
    assert advice["breakeven_price_ratio"] == pytest.approx(times["gbe"] / times["ib-fdr"])


@pytest.mark.requires("hpcc")
def test_hpc_challenge_runs_as_installed(linkworth, tmp_path):
    given = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    (tmp_path / "hpccinf.txt").write_text(
        given.replace("1000         Ns", "100          Ns").replace("80           NBs", "20           NBs")
    )
    recorded = answer(linkworth, "trace", "-n", "4", "-o", "hpcc.lwt", "--", "hpcc")
    assert (recorded["ranks"], recorded["state"], recorded["unmodelled"]) == (4, "complete", {})
    assert "Success=1" in (tmp_path / "hpccoutf.txt").read_text()
    calls = {call["name"] for call in answer(linkworth, "profile", "hpcc.lwt")["calls"]}
    assert {"MPI_Sendrecv", "MPI_Testany", "MPI_Alltoall", "MPI_Allreduce"} <= calls
    slow, fast = answer(linkworth, "predict", "hpcc.lwt", "--nodes", "4", "--on", "gbe", "--on", "ib-hdr")[
        "predictions"
    ]
    assert slow["seconds"] > fast["seconds"] > 0


HYDROGEN = """
&control
  calculation='scf', prefix='h2', pseudo_dir='/usr/share/espresso/pseudo', outdir='./out'
/
&system
  ibrav=1, celldm(1)=8.0, nat=2, ntyp=1, ecutwfc=10.0
/
&electrons
  conv_thr=1.0d-4
/
ATOMIC_SPECIES
H 1.008 H.pz-vbc.UPF
ATOMIC_POSITIONS bohr
H 0.0 0.0 0.0
H 1.4 0.0 0.0
K_POINTS gamma
"""


@pytest.mark.requires("quantum-espresso")
def test_quantum_espresso_a_fortran_program_runs_as_installed(linkworth, tmp_path):
    (tmp_path / "h2.in").write_text(HYDROGEN)
    # The matrices are too small to be shared out: one rank solves them.
    recorded = answer(
        linkworth, "trace", "-n", "2", "-o", "h2.lwt", "--", "pw.x", "-ndiag", "1", "-in", "h2.in"
    )
    assert (recorded["ranks"], recorded["state"], recorded["unmodelled"]) == (2, "complete", {})
    profile = answer(linkworth, "profile", "h2.lwt")
    calls = {call["name"] for call in profile["calls"]}
    assert {"MPI_Alltoall", "MPI_Allreduce", "MPI_Bcast", "MPI_Comm_split"} <= calls
    advice = answer(
        linkworth, "advise", "h2.lwt", "--nodes", "2", "--price", "gbe=0.78", "--price", "ib-fdr=0.975"
    )
    assert {option["fabric"] for option in advice["options"]} == {"gbe", "ib-fdr"}
