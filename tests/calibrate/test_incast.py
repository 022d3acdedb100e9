"""TCP's losses at a full port, fitted to bursts from the replay and to a user's figures."""

import msgspec
import pytest
from replayed_results import predicted, slowed

from linkworth.calibrate import incast
from linkworth.calibrate.measured import Origin
from linkworth.calibrate.request import CalibrationRequest
from linkworth.calibrate.run import calibrate, write
from linkworth.catalog import fabrics
from linkworth.errors import UsageError
from linkworth.model.bench import PORT_BUFFER
from linkworth.model.fabric import Tcp

SIZES = [16 << 10, 64 << 10, 256 << 10]
GBE = fabrics.get("gbe")


def lossy(share, buffer):
    tcp = msgspec.structs.replace(GBE.tcp, port_buffer_bytes=float(buffer), timeout_share=share)
    return msgspec.structs.replace(GBE, tcp=tcp)


def results(share, buffer, *, said=True):
    """Bursts of 2, 4 and 8 senders as the replay has them."""
    fabric = lossy(share, buffer)
    facts = {PORT_BUFFER: f"{buffer} B"} if said else {}
    return [
        msgspec.structs.replace(predicted(fabric, "incast", SIZES, pairs=senders), facts=facts)
        for senders in (2, 4, 8)
    ]


def origins(*found):
    return [Origin(result, "bursts.json") for result in found]


@pytest.mark.parametrize("share", [0.0, 0.0004, 0.02])
def test_the_share_that_made_the_bursts_is_found(share):
    fitted = incast.fit_incast(GBE, origins(*results(share, 32768), *results(share, 65536)), 65536)
    # The steps of the search are a tenth of a decade.
    assert fitted.fabric.tcp.timeout_share == pytest.approx(share, rel=0.13, abs=1e-9)
    assert fitted.fabric.tcp.port_buffer_bytes == 65536
    assert {buffer: len(points) for buffer, points in fitted.points.items()} == {32768: 9, 65536: 9}
    assert fitted.reasons["tcp.timeout_share"].measured
    # Two senders of 16 KiB fit into the buffer, so they show no losses.
    telling = {(point.pairs, point.bytes) for point in fitted.reasons["tcp.timeout_share"].points}
    assert (8, 256 << 10) in telling and (2, 16 << 10) not in telling


def test_bursts_that_fit_into_the_port_leave_the_share():
    fitted = incast.fit_incast(GBE, origins(*results(0.1, 1 << 30)), None)
    assert fitted.fabric.tcp.timeout_share == Tcp().timeout_share
    assert not fitted.reasons["tcp.timeout_share"].measured


def test_bursts_that_other_work_delayed_are_doubted():
    quiet = results(0.01, 32768)
    assert incast.fit_incast(GBE, origins(*quiet), None).notes == []
    slow = [slowed(result, *[3] * len(SIZES)) for result in quiet]
    [note] = incast.fit_incast(GBE, origins(*slow), None).notes
    assert note.startswith("bursts that fit into the port's buffer took 3 times as long as their replay")


def test_a_port_that_nobody_knows_is_asked_for():
    silent = origins(*results(0.01, 32768, said=False))
    with pytest.raises(UsageError, match=r"bursts\.json: the buffer of the switch's port is not known"):
        incast.fit_incast(GBE, silent, None)
    assert incast.fit_incast(GBE, silent, 32768).fabric.tcp.timeout_share == pytest.approx(0.01, rel=0.13)
    with pytest.raises(
        UsageError, match=r"different buffers \(32768, 65536 bytes\); give the fabric's: `port_buffer`"
    ):
        incast.fit_incast(GBE, origins(*results(0.01, 32768), *results(0.01, 65536)), None)


def test_a_calibration_writes_the_port_and_its_source(tmp_path):
    measured = [
        *(predicted(GBE, test, [8, 4096, 1 << 20]) for test in ("latency", "bandwidth")),
        *results(0.01, 32768),
    ]
    dated = [msgspec.structs.replace(result, date="2026-11-22") for result in measured]
    path = tmp_path / "bursts.json"
    path.write_bytes(msgspec.json.encode(dated))
    found = calibrate(CalibrationRequest(files=[path], base="gbe"))
    by_field = {parameter.field: parameter for parameter in found.parameters}
    assert by_field["tcp.timeout_share"].value == pytest.approx(0.01, rel=0.2)
    assert by_field["tcp.timeout_share"].measured and "bursts.json" in by_field["tcp.timeout_share"].source
    bursts = [point for point in found.points if point.test == "incast"]
    assert {(point.pairs, point.bytes) for point in bursts} == {
        (n, size) for n in (2, 4, 8) for size in SIZES
    }
    assert max(abs(point.residual) for point in bursts) < 0.2
    write(found.fabric, tmp_path / "own.toml")
    again = fabrics.get(str(tmp_path / "own.toml"))
    assert again.tcp == found.fabric.tcp and again.tcp.port_buffer_bytes == 32768
    [note] = [note for note in again.sources if "tcp.timeout_share" in note.fields]
    assert note.date == "2026-11-22" and "bursts.json" in note.source


def test_the_options_bytes(linkworth, tmp_path):
    path = linkworth.folder / "latency.json"
    path.write_bytes(msgspec.json.encode(predicted(GBE, "latency", [8, 4096, 1 << 20])))
    refused = linkworth("calibrate", path.name, "--port-buffer", "64K")
    assert refused.returncode == 2 and "--port-buffer applies to incast tests between nodes" in refused.stderr
    refused = linkworth("calibrate", path.name, "--port-buffer", "some")
    assert refused.returncode == 2 and "--port-buffer 'some': no size in bytes" in refused.stderr
    both = [predicted(GBE, "latency", [8, 4096, 1 << 20]), *results(0.01, 65536, said=False)]
    path.write_bytes(msgspec.json.encode(both))
    assert (
        linkworth.json("calibrate", path.name, "--port-buffer", "64K")["fabric"]["tcp"]["port_buffer_bytes"]
        == 65536
    )
