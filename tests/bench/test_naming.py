"""Names that MPIs give to their transport: captured lines of Open MPI 4.1.4 and 5.0, MPICH 4.0.2 and 5.0.2 (UCX 1.13, 1.20)."""

import pytest

from linkworth.bench.naming import TransportNames, environment

OPEN_MPI = """\
[n1:28117] select: component ob1 selected
[n1:28117] mca: bml: Using self btl for send to [[587,1],0] on node n1
[n1:28117] mca: bml: Using vader btl for send to [[587,1],1] on node n1
[n1:28117] mca: bml: Using tcp btl for send to [[587,1],2] on node n2"""
UCX_OLD = """\
[1795333978.839749] [vm:28138:0]      ucp_worker.c:1763 UCX  INFO    ep_cfg[0]: tag(self/memory0 cma/memory) rma(self/memory0)
[1795333978.839902] [vm:28138:0]      ucp_worker.c:1763 UCX  INFO    ep_cfg[1]: tag(sysv/memory cma/memory) rma(sysv/memory)"""
UCX_NEW = """\
[1795333978.977078] [vm:28146:0]      ucp_worker.c:1912 UCX  INFO    ucp_context_0 self cfg#0 tag(self/memory cma/memory)
[1795333978.979000] [vm:28146:0]      ucp_worker.c:1912 UCX  INFO    ucp_context_0 inter-node cfg#1 tag(tcp/d0)
[1795333979.010680] [vm:28146:0]      ucp_worker.c:1912 UCX  INFO    ucp_context_0 intra-node cfg#2 tag(sysv/memory cma/memory)"""
OPEN_MPI_UCX = "[vm:28428] select: component ucx selected\n" + UCX_OLD
MTL = """\
[vm:28449] select: component cm selected
[vm:28449] mca:base:select:(  mtl) Selected component [ofi]"""
MPICH_OFI = "==== Capability set configuration ====\nlibfabric provider: sockets - 192.0.2.0/24"
INTEL = "[0] MPI startup(): libfabric provider: tcp;ofi_rxm"


def names(text):
    found = TransportNames()
    for line in text.splitlines():
        found.take(line)
    return found


@pytest.mark.parametrize(
    ("text", "named", "memory"),
    [
        (OPEN_MPI, "ob1: vader inside a node, tcp between nodes", False),
        (OPEN_MPI.rsplit("\n", 1)[0], "ob1: vader", True),
        (UCX_OLD, "UCX: cma/memory + sysv/memory", True),
        (UCX_NEW, "UCX: cma/memory + sysv/memory inside a node, tcp/d0 between nodes", False),
        (OPEN_MPI_UCX, "UCX: cma/memory + sysv/memory", True),
        (MTL, "cm: ofi", False),
        (MPICH_OFI, "libfabric sockets", False),
        (INTEL, "libfabric tcp;ofi_rxm", False),
        ("Using tcp btl: words of a program", "", False),
        ("", "", False),
    ],
)
def test_names(text, named, memory):
    found = names(text)
    assert found.text == named
    assert found.uses_memory_only is memory


def test_chatter_is_told_from_words_for_the_user():
    found = TransportNames()
    assert all(found.take(line) for line in (OPEN_MPI + "\n" + UCX_NEW).splitlines())
    assert not found.take("mpiexec was unable to find the specified executable file")


def test_what_the_user_set_stays(monkeypatch):
    monkeypatch.setenv("UCX_LOG_LEVEL", "warn")
    monkeypatch.delenv("UCX_LOG_FILE", raising=False)
    assert environment("mpich") == {"UCX_LOG_FILE": "stderr", "MPIR_CVAR_DEBUG_SUMMARY": "1"}
