"""Virtual machines: their effect on a fabric, by name and as the isolation of a study's environment."""

from pathlib import Path

import pytest

from linkworth.catalog import fabrics, virtual
from linkworth.errors import UsageError


@pytest.mark.parametrize("kind", virtual.KINDS)
def test_a_virtual_fabric_is_slower_and_sourced(kind):
    native, guest = fabrics.get("ib-fdrx2"), fabrics.get(f"ib-fdrx2+{kind}")
    assert guest.name == f"ib-fdrx2+{kind}"
    assert guest.rails == 2
    added = guest.link.latency_seconds - native.link.latency_seconds
    assert added == pytest.approx({"sriov": 0.48e-6, "passthrough": 0.15e-6}[kind])
    share = guest.link.bandwidth_bytes_per_second / native.link.bandwidth_bytes_per_second
    assert share == pytest.approx({"sriov": 0.98, "passthrough": 1.0}[kind])
    assert guest.intranode == native.intranode
    (source,) = guest.sources[len(native.sources) :]
    assert source.date and source.source and "derived" in source.note


def test_figures_rest_on_the_catalog_and_unknown_kinds_are_named():
    link = fabrics.get("ib-qdr").link
    short = link.latency_seconds + link.send_overhead[0][1] + link.receive_overhead[0][1]
    assert short == pytest.approx(virtual._QDR_SECONDS)
    with pytest.raises(
        UsageError, match=r"ib-fdr\+xen: \+xen is no kind of NIC; write \+sriov or \+passthrough"
    ):
        fabrics.get("ib-fdr+xen")


def test_a_file_may_have_rails_and_virtual_machines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = fabrics.data_folder() / "fabrics" / "gbe.toml"
    Path("mine.toml").write_bytes(source.read_bytes())
    assert fabrics.get("mine.tomlx2+sriov").name == "gbex2+sriov"
    assert [fabrics.is_path(text) for text in ("mine.toml", "mine.tomlx2", "mine.tomlx2+sriov")] == [True] * 3
    assert not any(fabrics.is_path(text) for text in ("gbe", "gbex2", "gbe+sriov", "atoml"))


def test_a_plus_in_a_path_is_the_paths(tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        fabrics.get(str(tmp_path / "a+b.toml"))
