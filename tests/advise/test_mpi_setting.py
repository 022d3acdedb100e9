"""Advice names a setting of the MPI library that gains, and the command line with it."""

import pytest
from synthetic import Call, irecv, isend, waitall, write_trace

PRICES = ["--price", "gbe=1", "--price", "ib-fdr=1000", "--draws", "0"]


def exchange(path, messages):
    """Write a trace of messages of 1 MB in both directions at once, under Open MPI."""

    def window(partner):
        calls = [irecv(partner, 1_000_000) for _ in range(messages)]
        calls += [isend(partner, 1_000_000) for _ in range(messages)]
        return [Call("MPI_Wtime", "local").after(0.1), *calls, waitall(*range(1, len(calls) + 1))]

    mpi = {"library": "Open MPI", "version": "4.1.4"}
    return str(write_trace(path / f"{messages}.lwt", [window(1), window(0)], mpi=mpi))


def test_it_is_named_if_it_gains(tmp_path, printed, json_of):
    trace = exchange(tmp_path, 8)
    assert "mpiexec --mca btl_tcp_flags send" in " ".join(printed("advise", trace, *PRICES).split())
    advice = json_of("advise", trace, *PRICES)
    gain = advice["mpi_setting"]
    assert (gain["name"], gain["value"]) == ("btl_tcp_flags", "send")
    assert 0.2 < gain["gain"] < 0.4
    found = json_of("predict", trace, "--on", "gbe", "--mpi-setting", "btl_tcp_flags=send")
    assert found["predictions"][0]["seconds"] == pytest.approx(gain["seconds"])
    assert found["predictions"][0]["mpi_settings"] == {"btl_tcp_flags": "send"}


@pytest.mark.parametrize(
    ("messages", "more"),
    [
        (1, []),
        (8, ["--mpi-library", "mpich"]),
        (8, ["--mpi-setting", "btl_tcp_flags=send"]),
        (8, ["--goal", "time"]),
    ],
)
def test_it_is_not_named_otherwise(messages, more, tmp_path, json_of):
    assert json_of("advise", exchange(tmp_path, messages), *PRICES, *more)["mpi_setting"] is None


def test_a_measured_time_is_without_the_setting(tmp_path, json_of):
    # The exchange takes 0.14 s of the measured 1 s as installed, and half as long with the setting.
    trace = exchange(tmp_path, 8)
    installed = json_of("predict", trace, "--on", "gbe", "--measured", "gbe=1")["predictions"][0]["seconds"]
    options = ["--measured", "gbe=1", "--mpi-setting", "btl_tcp_flags=send"]
    faster = json_of("predict", trace, "--on", "gbe", *options)["predictions"][0]["seconds"]
    assert installed == pytest.approx(1.0, rel=0.01)
    assert 0.9 < faster < 0.95
