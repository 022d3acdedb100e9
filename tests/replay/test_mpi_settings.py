"""Settings of an MPI library: what they change in a replay, and the libraries and networks that have them."""

from collections.abc import Callable

import pytest
from synthetic import Call, irecv, isend, recv, send, waitall

from linkworth.catalog import fabrics
from linkworth.errors import UsageError
from linkworth.model.collectives import CollectiveLibrary, CollectiveRules
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Prediction
from linkworth.model.settings import ReplaySettings
from linkworth.replay.mpi_settings import on_fabric, require_use

Predict = Callable[..., Prediction]
GBE, IB = fabrics.get("gbe"), fabrics.get("ib-fdr")
OPENMPI = CollectiveRules(library="openmpi-4.1")


def window(partner: int, messages: int, size: int) -> list[Call]:
    calls = [irecv(partner, size) for _ in range(messages)] + [isend(partner, size) for _ in range(messages)]
    return [*calls, waitall(*range(1, len(calls) + 1))]


def seconds(predict: Predict, size: int, on: Fabric, library: CollectiveLibrary, **chosen: str) -> float:
    settings = ReplaySettings(mpi_library=library, mpi_settings=chosen)
    return predict([window(1, 16, size), window(0, 16, size)], on, settings=settings).seconds


def test_without_put_or_without_a_request_both_directions_are_full(predict: Predict) -> None:
    installed = seconds(predict, 1_000_000, GBE, "openmpi-4.1")
    assert seconds(predict, 1_000_000, GBE, "openmpi-4.1", btl_tcp_flags="send") == pytest.approx(
        installed / 2, rel=0.05
    )
    for limit, ratio in (("8388608", 0.5), ("500000", 1.0)):
        found = seconds(predict, 1_000_000, GBE, "openmpi-4.1", btl_tcp_eager_limit=limit)
        assert found == pytest.approx(ratio * installed, rel=0.05)


@pytest.mark.parametrize(
    ("on", "library", "nodes", "name"),
    [
        (GBE, "openmpi-4.1", [0, 1], "btl_tcp_eager_limit"),
        (GBE, "openmpi-4.1", [0, 0], "btl_vader_eager_limit"),
        (GBE, "openmpi-5.0", [0, 0], "btl_sm_eager_limit"),
        (IB, "openmpi-4.1", [0, 1], "UCX_RNDV_THRESH"),
        (IB, "openmpi-4.1", [0, 0], "UCX_RNDV_THRESH"),
        (IB, "mpich", [0, 1], "UCX_RNDV_THRESH"),
        (GBE, "mpich", [0, 1], "UCX_RNDV_THRESH"),
        (GBE, "mpich", [0, 1], "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE"),
        (GBE, "mpich", [0, 0], "MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ"),
    ],
)  # fmt: skip
def test_a_sender_of_a_message_within_the_limit_goes_on(
    predict: Predict, on: Fabric, library: CollectiveLibrary, nodes: list[int], name: str
) -> None:
    computes = Call("MPI_Wtime", "local").after(1.0)
    ranks = [[send(1, 50_000), computes], [computes, recv(0, 50_000)]]
    for value, least in (("49999", 2.0), ("50000", 1.0)):
        settings = ReplaySettings(mpi_library=library, mpi_settings={name: value})
        found = predict(ranks, on, nodes=nodes, settings=settings)
        assert found.mpi_settings == {name: value}
        assert found.seconds == pytest.approx(least, rel=0.01)


@pytest.mark.parametrize(
    ("rules", "on", "given", "why"),
    [
        (OPENMPI, [GBE], "btl_tcp_flag=send", "the replay knows no such setting; it knows btl_tcp_flags, btl_tcp_eager"),
        (OPENMPI, [GBE], "btl_tcp_flags=put", "btl_tcp_flags=put: give send or 1"),
        (OPENMPI, [GBE], "btl_tcp_eager_limit=64k", "give a whole number of bytes"),
        (OPENMPI, [IB], "UCX_RNDV_THRESH=auto", "give bytes, such as 16k, or inf"),
        (OPENMPI, [GBE], "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE=1", "a setting of mpich, and the replay is of openmpi-4.1"),
        (OPENMPI, [GBE], "btl_sm_eager_limit=1", "a setting of openmpi-5"),
        (CollectiveRules(), [GBE], "btl_tcp_flags=send", "of which it knows MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE"),
        (OPENMPI, [IB], "btl_tcp_flags=send", "for TCP, and has no effect on ib-fdr; with openmpi-4.1 there it knows UCX_"),
        (OPENMPI, [GBE], "UCX_RNDV_THRESH=inf", "for RDMA, and has no effect on gbe"),
        (OPENMPI, [IB], "btl_vader_eager_limit=1", "for shared memory, and has no effect on ib-fdr"),
        (OPENMPI, [fabrics.get("loopback")], "btl_vader_eager_limit=1", "for shared memory"),
        (OPENMPI, [fabrics.get("efa")], "UCX_RNDV_THRESH=inf", "no effect on efa"),
        (
            CollectiveRules(origin="trace", recorded_library="intel 2021.9"),
            [GBE],
            "UCX_RNDV_THRESH=inf",
            "the replay is of intel, of which it knows none",
        ),
    ],
)  # fmt: skip
def test_what_has_no_effect_is_refused(
    rules: CollectiveRules, on: list[Fabric], given: str, why: str
) -> None:
    name, _, value = given.partition("=")
    with pytest.raises(UsageError, match=r"^`mpi_setting` ") as raised:
        require_use(rules, on, {name: value})
    assert why in str(raised.value)


def test_a_setting_reaches_the_networks_of_its_transport() -> None:
    chosen = {"btl_tcp_flags": "send"}
    (warning,) = require_use(OPENMPI, [GBE, IB], chosen)
    assert warning == "btl_tcp_flags is for TCP, so ib-fdr is predicted without it"
    assert on_fabric(OPENMPI, IB, chosen) == (IB, {})
    assert on_fabric(OPENMPI, GBE, chosen)[1] == chosen


def test_an_eager_limit_over_tcp_bounds_pairs_and_stripes() -> None:
    chosen = {"btl_tcp_eager_limit": "8388608"}
    (warning,) = require_use(OPENMPI, [GBE], chosen)
    assert "eager messages over 65,536 bytes" in warning
    found, _ = on_fabric(OPENMPI, GBE, chosen)
    assert (found.link.eager_limit_bytes, found.tcp.pair_from_bytes) == (65536, 8388608)
    found, _ = on_fabric(OPENMPI, fabrics.get("gbex4"), {"btl_tcp_eager_limit": "131072"})
    assert (found.stripe_min_bytes, found.stripe_rest_bytes) == (131073, 131072)
