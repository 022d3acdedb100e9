"""Messages that only one side knows of are found."""

import pytest

from linkworth.scale.fit.rules import Communicator, UnfitError
from linkworth.scale.messages import Messages
from linkworth.scale.recording import Call


def message(kind: str, peer: int, size: int) -> Call:
    return Call(f"MPI_{kind}@a.c:7", kind.lower(), {"comm": 0, "peer": peer, "tag": 3, "bytes": size})


def check(sent: Call, received: Call, times: int) -> None:
    balance = Messages(set())
    balance.add(0, [sent], [2], {0: Communicator([0, 1], 0)})
    balance.add(1, [received], [times], {0: Communicator([0, 1], 1)})
    balance.check()


def test_messages_with_room_are_fine() -> None:
    check(message("Send", 1, 80), message("Recv", 0, 100), 2)


def test_a_message_without_a_receive_is_named() -> None:
    with pytest.raises(UnfitError, match=r"MPI_Send@a.c:7: rank 0 sends 2 messages .* which receives 1"):
        check(message("Send", 1, 80), message("Recv", 0, 100), 1)


def test_a_message_without_room_is_named() -> None:
    with pytest.raises(UnfitError, match=r"MPI_Send@a.c:7: rank 0 sends 160 bytes .* which has room for 80"):
        check(message("Send", 1, 80), message("Irecv", 0, 40), 2)


def test_a_neighbour_that_does_not_name_the_other_is_refused() -> None:
    one, other = (
        Call(
            "MPI_Cart_create@a.c:5",
            "comm_new",
            {"new_comm": 2, "members": [0, 1], "has_topology": True, "sources": near, "destinations": near},
        )
        for near in ([-2, 1], [-2, -2])
    )
    with pytest.raises(UnfitError, match="only one of ranks 0 and 1 would be a neighbour of the other"):
        check(one, other, 2)


def test_a_communicator_that_is_freed_more_often_than_made_is_refused() -> None:
    calls = [
        Call("MPI_Comm_dup@a.c:9", "comm_new", {"new_comm": 2, "members": [0], "has_topology": False}),
        Call("MPI_Comm_free@a.c:10", "comm_free", {"comm": 2}),
    ]
    with pytest.raises(UnfitError, match=r"MPI_Comm_free@a.c:10: rank 0 would free a communicator"):
        Messages(set()).add(0, calls, [1, 3], {})
