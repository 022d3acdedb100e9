"""Programs that nobody here wrote, as a distribution installs them: recorded, profiled, predicted and advised on."""

import json
from pathlib import Path

import pytest
from command import LinkworthCommand

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


def answer(linkworth: LinkworthCommand, verb: str, *arguments: str | Path) -> dict:
    done = linkworth(verb, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.requires("netpipe")
def test_netpipe_gives_the_bytes_that_it_exchanged(linkworth: LinkworthCommand, tmp_path: Path) -> None:
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
def test_lammps_runs_as_installed(linkworth: LinkworthCommand, tmp_path: Path) -> None:
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
