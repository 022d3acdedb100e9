"""Two ends of a TCP connection that measure a link: its rate, and the time of a short message.

Run as `python -m linkworth.lab.probe MEASURE SECONDS NIC [ADDRESS]`. Without an address it listens, prints its
port and then its results. With `ADDRESS:PORT` it is the other end. Its packets use this NIC only, also in nodes
that spread them over several.
"""

import contextlib
import json
import os
import socket
import sys
import time

CHUNK = 1 << 18
WARM_UP_SHARE = 0.25
"""Share of the time before the bytes are counted: TCP's slow start and the first fill of the queues."""
DRAIN_SECONDS = 0.1
LEAST_ROUND_TRIPS = 20


def receive(connection: socket.socket, seconds: float) -> dict[str, float]:
    """Count the payload bytes that arrive after the warm-up, and their seconds."""
    buffer = memoryview(bytearray(CHUNK))
    started = time.perf_counter()
    while time.perf_counter() - started < seconds * WARM_UP_SHARE:
        if not connection.recv_into(buffer):
            break
    _drain(connection, buffer)
    total = 0
    began = ended = time.perf_counter()
    while got := connection.recv_into(buffer):
        total += got
        ended = time.perf_counter()
        if ended - began >= seconds * (1 - WARM_UP_SHARE):
            break
    return {"bytes": total, "seconds": ended - began}


def _drain(connection: socket.socket, buffer: memoryview) -> None:
    """Discard what arrived while this process had no core, since it belongs to the time before."""
    until = time.perf_counter() + DRAIN_SECONDS
    with contextlib.suppress(BlockingIOError):
        while time.perf_counter() < until and connection.recv_into(buffer, 0, socket.MSG_DONTWAIT):
            pass


def send(connection: socket.socket) -> None:
    """Send until the other end closes."""
    data = bytes(CHUNK)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        while True:
            connection.sendall(data)


def ping(connection: socket.socket, seconds: float) -> dict[str, float]:
    """Send a byte to and fro. Return the shortest round trip, its first decile and its median, in seconds."""
    times: list[float] = []
    started = time.perf_counter()
    while len(times) < LEAST_ROUND_TRIPS or time.perf_counter() - started < seconds:
        before = time.perf_counter()
        connection.send(b"x")
        _one_byte(connection)
        times.append(time.perf_counter() - before)
    times.sort()
    return {"shortest": times[0], "tenth": times[len(times) // 10], "median": times[len(times) // 2]}


def pong(connection: socket.socket) -> None:
    """Send back each byte until the other end closes."""
    with contextlib.suppress(ConnectionError):
        while _one_byte(connection):
            connection.send(b"x")


def _one_byte(connection: socket.socket) -> bytes:
    """Wait without sleeping, since waking takes longer than a short link. Others use the core meanwhile."""
    while True:
        with contextlib.suppress(BlockingIOError):
            return connection.recv(1, socket.MSG_DONTWAIT)
        os.sched_yield()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(words: list[str]) -> int:
    """Run one end."""
    measure, seconds, nic = words[0], float(words[1]), words[2]
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, nic.encode())
    if len(words) == 3:
        with connection as server:
            server.listen(1)
            _say(str(server.getsockname()[1]))
            connection, _ = server.accept()
    else:
        address, _, port = words[3].partition(":")
        connection.settimeout(20)
        connection.connect((address, int(port)))
        connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection:
        if len(words) == 4:
            send(connection) if measure == "rate" else pong(connection)
        else:
            said = receive(connection, seconds) if measure == "rate" else ping(connection, seconds)
            _say(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
