"""The formats' own programs read what is written, and where they can, carry it out in a network namespace."""

import itertools
import json
import shutil

import pytest
from run_program import output_of

from linkworth.lab.export.write import environment_for, export, files
from linkworth.lab.spec import LabSpec

SPECS = [
    LabSpec(nodes=1, nics=2, mtu=9000, aggregate=aggregate, bond_mode=mode, isolation=isolation)
    for (aggregate, mode), isolation in itertools.product(
        [("stripe", "balance-rr"), ("mptcp", "balance-rr"), ("bond", "802.3ad"), ("bond", "balance-xor")],
        ["namespace", "lxc", "nspawn"],
    )
]

MTUS = [f"eth{nic}@.*mtu 9000" for nic in (0, 1)]

# systemd-networkd needs neither D-Bus nor udev where /sys is read-only; the host's /run and /etc stay as they are.
NETWORKD = """
set -e
mount --make-rprivate /
mount -t sysfs -o ro none /sys
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/netif/links /run/systemd/netif/leases /run/systemd/network
chown -R systemd-network /run/systemd/netif
mount -t tmpfs tmpfs /etc/systemd/network
mount -t tmpfs tmpfs /usr/lib/systemd/network
cp "$1"/* /etc/systemd/network/
shift
for nic in "$@"; do ip link add $nic type veth peer name p-$nic; ip link set p-$nic mtu 9000 up; done
SYSTEMD_LOG_LEVEL=info SYSTEMD_LOG_TARGET=console /lib/systemd/systemd-networkd 2>&1 &
networkd=$!
configured() {
    shown=$(ip -o addr; ip -o link)
    while read -r awaited; do grep -q "$awaited" <<< "$shown" || return 1; done < /etc/systemd/network/awaited
}
for i in $(seq 6000); do
    configured && break
    sleep 0.05
done
kill $networkd
wait $networkd || true
echo ADDRESSES
ip -j addr
"""


def applied_by_networkd(folder, awaited, *nics):
    """Run networkd on files until `ip` shows every pattern; return what it printed and the interfaces.

    networkd configures interfaces in any order, so none of them can stand for the others.
    """
    (folder / "awaited").write_text("".join(f"{pattern}\n" for pattern in awaited))
    command = ["unshare", "--net", "--mount", "bash", "-c", NETWORKD, "networkd", folder, *nics]
    said, _, listed = output_of(command, timeout=600).partition("ADDRESSES\n")
    return said, {interface["ifname"]: interface for interface in json.loads(listed)}


def addresses(interface):
    return [f"{one['local']}/{one['prefixlen']}" for one in interface["addr_info"] if one["family"] == "inet"]


def wrong(said):
    return [
        line for line in said.splitlines() if "nknown" in line or "nvalid" in line or "ailed to parse" in line
    ]


@pytest.mark.requires("networkd")
def test_networkd_gives_a_host_its_addresses_and_mtu(tmp_path):
    export(LabSpec(nodes=2, nics=2, mtu=9000), "systemd-networkd", tmp_path)
    awaited = ["10.10.0.2/24", "10.10.1.2/24", *MTUS]
    said, there = applied_by_networkd(tmp_path / "node2/etc/systemd/network", awaited, "eth0", "eth1")
    assert not wrong(said)
    assert [addresses(there[nic]) for nic in ("eth0", "eth1")] == [["10.10.0.2/24"], ["10.10.1.2/24"]]
    assert [there[nic]["mtu"] for nic in ("eth0", "eth1")] == [9000, 9000]


@pytest.mark.requires("networkd")
def test_networkd_puts_nics_and_containers_on_bridges(tmp_path):
    export(LabSpec(nodes=1, nics=2, mtu=9000, isolation="nspawn"), "systemd-networkd", tmp_path)
    nics = ("eth0", "eth1", "lw-d0", "lw-d1")
    awaited = [f"{nic}@.*mtu 9000.*master lwbr" for nic in nics] + [
        f"lwbr{lane}: .*mtu 9000" for lane in (0, 1)
    ]
    said, there = applied_by_networkd(tmp_path / "node1/etc/systemd/network", awaited, *nics)
    assert not wrong(said)
    assert [there[nic].get("master") for nic in nics] == ["lwbr0", "lwbr1", "lwbr0", "lwbr1"]
    assert {there[name]["mtu"] for name in (*nics, "lwbr0", "lwbr1")} == {9000}


@pytest.mark.requires("networkd", "netplan")
def test_netplan_makes_networkd_do_the_same(tmp_path):
    export(LabSpec(nodes=1, nics=2, mtu=9000), "netplan", tmp_path / "written")
    root = generated(tmp_path / "written/node1", tmp_path / "root")
    folder = root / "run/systemd/network"
    said, there = applied_by_networkd(folder, ["10.10.0.1/24", "10.10.1.1/24", *MTUS], "eth0", "eth1")
    assert not wrong(said)
    assert [addresses(there[nic]) for nic in ("eth0", "eth1")] == [["10.10.0.1/24"], ["10.10.1.1/24"]]


def generated(host, root):
    shutil.copytree(host / "etc", root / "etc")
    for file in (root / "etc/netplan").iterdir():
        file.chmod(0o600)
    output_of(["netplan", "generate", "--root-dir", root])
    return root


@pytest.mark.requires("netplan")
def test_netplan_reads_every_file(tmp_path):
    for number, spec in enumerate(spec for spec in SPECS if spec.isolation != "nspawn"):  # as lxc for netplan
        folder = tmp_path / str(number)
        export(spec, "netplan", folder)
        hosts = sorted(path.parents[2] for path in folder.glob("*/etc/netplan/*.yaml"))
        assert hosts
        for host in hosts:
            made = generated(host, folder / "root" / host.name) / "run/systemd/network"
            texts = [file.read_text() for file in made.iterdir()]
            assert sum("MTUBytes=9000" in text for text in texts) >= 2
            if spec.aggregate == "bond" and not host.name.endswith("-c"):
                assert any(f"Mode={spec.bond_mode}" in text for text in texts)


@pytest.mark.requires("ifupdown")
def test_ifup_reads_every_file(tmp_path):
    for number, spec in enumerate(SPECS):
        folder = tmp_path / str(number)
        export(spec, "ifupdown", folder)
        written = list(folder.glob("*/etc/network/interfaces.d/linkworth"))
        assert written
        for file in written:
            output_of(
                ["ifup", "--no-act", "--all", "--force", f"--interfaces={file}", f"--state-dir={folder}"]
            )
            asked = output_of(["ifquery", "--list", f"--interfaces={file}"])
            inside = file.parents[3].name.endswith("-c")
            environment = environment_for(spec, "ifupdown")
            expected = {lane.container_nic for lane in environment.lanes} if inside else set(environment.nics)
            assert expected <= set(asked.split())


@pytest.mark.requires("ifupdown", "tap")
def test_ifup_gives_a_host_its_addresses_and_mtu(tmp_path):
    export(LabSpec(nodes=2, nics=2, mtu=9000), "ifupdown", tmp_path)
    script = (
        "for nic in eth0 eth1; do ip link add $nic type veth peer name p-$nic; done; "
        f"ifup --all --force --interfaces={tmp_path}/node2/etc/network/interfaces.d/linkworth --state-dir={tmp_path} "
        "> /dev/null && ip -j addr"
    )
    listed = json.loads(output_of(["unshare", "--net", "sh", "-c", script]))
    there = {interface["ifname"]: interface for interface in listed}
    assert [addresses(there[nic]) for nic in ("eth0", "eth1")] == [["10.10.0.2/24"], ["10.10.1.2/24"]]
    assert there["eth1"]["mtu"] == 9000


@pytest.mark.requires("system-yaml")
def test_what_lxd_reads_is_what_was_meant():
    spec = LabSpec(nodes=2, nics=2, mtu=9000, aggregate="mptcp")
    environment = environment_for(spec, "lxd")
    written = files(environment, "lxd")
    profile, *instances = read_yaml(
        written["linkworth-profile.yaml"],
        *(written[f"{host.name}/{host.container}.yaml"] for host in environment.hosts),
    )
    nics = profile["devices"].values()
    assert [nic["parent"] for nic in nics] == ["lwbr0", "lwbr1"]
    assert {nic["mtu"] for nic in nics} == {"9000"}
    for host, instance in zip(environment.hosts, instances, strict=True):
        networks, user = read_yaml(
            instance["config"]["cloud-init.network-config"], instance["config"]["cloud-init.user-data"]
        )
        given = [device["addresses"] for device in networks["ethernets"].values()]
        assert given == [[environment.address(host, lane)] for lane in environment.lanes]
        contents = {file["path"]: file["content"] for file in user["write_files"]}
        unit = contents["/etc/systemd/system/linkworth-mptcp.service"]
        assert f"add {environment.address(host, environment.lanes[1]).partition('/')[0]} dev d1" in unit
        assert "sysctl --system" in user["runcmd"]


def read_yaml(*texts):
    """Read YAML with the system's Python, which has the package: the project itself needs none."""
    program = "import json, sys, yaml; json.dump([yaml.safe_load(text) for text in json.load(sys.stdin)], sys.stdout)"
    return json.loads(output_of(["/usr/bin/python3", "-c", program], input=json.dumps(texts)))
