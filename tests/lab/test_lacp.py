"""When the ends of a bond agreed by LACP, by what `ip -json -details link show master BOND` shows."""

import json
import stat

from linkworth.lab import lacp

# The states that Linux 6.1 showed: at once, synchronised but waiting, and carrying data (fast, 0x3f; slow partner, 0x3d).
BEGUN, SYNCHRONISED, FAST, SLOW = 71, 15, 63, 61


def shown(*ports):
    return json.dumps(
        [
            {
                "ifname": name,
                "linkinfo": {
                    "info_slave_kind": "bond",
                    "info_slave_data": {
                        "ad_actor_oper_port_state": actor,
                        "ad_partner_oper_port_state": partner,
                    },
                },
            }
            for name, actor, partner in ports
        ]
    )


def test_both_ends_of_every_link_must_collect_and_distribute():
    assert lacp.waiting(shown(("d0", FAST, SLOW), ("d1", SLOW, FAST))) == []
    assert lacp.waiting(shown(("d0", FAST, SYNCHRONISED), ("d1", FAST, FAST))) == ["d0"]
    assert lacp.waiting(shown(("d0", BEGUN, 1), ("d1", SYNCHRONISED, FAST))) == ["d0", "d1"]
    assert lacp.waiting('[{"ifname": "d0", "linkinfo": {"info_slave_data": {"state": "ACTIVE"}}}]') == ["d0"]


def test_the_bonds_are_waited_for_one_after_another(tmp_path):
    agreed = shown(("d0", FAST, FAST))
    calls = tmp_path / "calls"
    ip = tmp_path / "ip"
    # The first bond agrees at the third look, the second one at the first.
    ip.write_text(
        f'#!/bin/sh\necho "$*" >> {calls}\n'
        f"if [ $(wc -l < {calls}) -lt 3 ]; then echo '{shown(('d0', BEGUN, BEGUN))}'; else echo '{agreed}'; fi\n"
    )
    ip.chmod(ip.stat().st_mode | stat.S_IXUSR)
    assert lacp.main(str(ip), ["bond-node1", "bond-node2"]) == 0
    assert [line.split()[-1] for line in calls.read_text().splitlines()] == ["bond-node1"] * 3 + [
        "bond-node2"
    ]


def test_a_bond_that_never_agrees_is_named(tmp_path, monkeypatch, capsys):
    ip = tmp_path / "ip"
    ip.write_text(f"#!/bin/sh\necho '{shown(('d0', FAST, FAST), ('d1', SYNCHRONISED, BEGUN))}'\n")
    ip.chmod(ip.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(lacp, "LIMIT_SECONDS", 0.0)
    assert lacp.main(str(ip), ["bond-node1"]) == 1
    assert capsys.readouterr().err == "bond-node1 did not agree with its partner about d1 in 0 s\n"
