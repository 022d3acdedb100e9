"""Files for real hosts: golden files of every format, and refusals."""

import re
from pathlib import Path

import msgspec
import pytest
from golden import check_golden

from linkworth.errors import UsageError
from linkworth.lab.export.environment import of_spec
from linkworth.lab.export.write import FORMATS, environment_for, export, files
from linkworth.lab.spec import LabSpec

GOLDEN = Path(__file__).parents[2] / "fixtures" / "lab_export"
CASES = {
    "stripe": LabSpec(nodes=2, nics=2, mtu=9000),
    "bond": LabSpec(nodes=1, nics=2, mtu=9000, aggregate="bond", bond_mode="802.3ad", isolation="nspawn"),
    "mptcp": LabSpec(nodes=1, nics=2, aggregate="mptcp", isolation="lxc"),
    "one": LabSpec(nodes=1),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("format_name", FORMATS)
def test_golden(format_name, case):
    written = files(environment_for(CASES[case], format_name), format_name)
    text = "".join(f"==== {path}\n{content}" for path, content in sorted(written.items()))
    check_golden(GOLDEN / f"{format_name}-{case}.txt", text)


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_second_host_has_the_same_files_with_its_own_addresses(format_name):
    for case in CASES.values():
        spec = msgspec.structs.replace(case, nodes=2)
        # All hosts know the names of all.
        written = {
            path: re.sub(r"\n +10\.10.* node.*|^10\.10.* node.*\n", "", text, flags=re.MULTILINE)
            for path, text in files(environment_for(spec, format_name), format_name).items()
        }
        second = {path: text for path, text in written.items() if "node2" in path}
        assert second == {
            path.replace("node1", "node2"): re.sub(
                r"(10\.10\.\d)\.1\b", r"\1.2", text.replace("node1", "node2")
            )
            for path, text in written.items()
            if "node1" in path
        }


def test_what_a_file_cannot_say_is_said():
    environment = of_spec(LabSpec(nics=3, aggregate="roundrobin"), containers="none")
    assert environment.bond_mode == "balance-rr"
    assert environment.lanes[0].members == ["eth0", "eth1", "eth2"]
    assert any("stands in for bonding" in remark for remark in environment.remarks)
    spec = LabSpec(rate=1e9, mtu=9000, latency=30e-6, nics=2, aggregate="mptcp")
    said = " ".join(of_spec(spec, containers="none").remarks)
    for word in ("rate", "Latency", "9000", "mptcpize"):
        assert word in said


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        (LabSpec(nics=2), {"interfaces": ["eno1"]}, "names 1 NICs"),
        (LabSpec(nics=2), {"interfaces": ["eno1", "eno1"]}, "names 1 NICs"),
        (LabSpec(nics=2, aggregate="bond"), {"interfaces": ["bond0", "eno1"]}, "make a bond of that name"),
        (LabSpec(), {"interfaces": ["a b"]}, "`interface` a b"),
        (LabSpec(), {"network": "10.0.0.1/16"}, "`network` 10.0.0.1/16"),
        (LabSpec(nics=2), {"network": "10.0.0.0/24"}, "room for 1 networks"),
        (LabSpec(nodes=8), {"network": "10.0.0.0/29"}, "room for 6 hosts"),
    ],
)
def test_what_cannot_be_is_refused(spec, options, message):
    with pytest.raises(UsageError, match=message):
        of_spec(spec, containers="none", **options)


def test_nothing_is_overwritten(tmp_path):
    done = export(LabSpec(nodes=1), "netplan", tmp_path / "new")
    assert done.files == ["node1/etc/hosts.linkworth", "node1/etc/netplan/60-linkworth.yaml"]
    with pytest.raises(UsageError, match="is not empty"):
        export(LabSpec(nodes=1), "netplan", tmp_path / "new")
    with pytest.raises(UsageError, match="there is no format rpm"):
        export(LabSpec(nodes=1), "rpm", tmp_path / "other")
