"""Two hosts that are namespaces of this machine with names of their own, and an ssh that enters them."""

import os
import socket
from pathlib import Path

import fake_installation as fake


def two_hosts(folder: Path) -> tuple[Path, str]:
    """Return a file of the hosts `hosta` and `hostb`, and the PATH on which their ssh is found."""
    names = folder / "etc-hosts"
    names.write_text(f"127.0.0.1 localhost hosta hostb {socket.gethostname()}\n")
    fake.script(
        folder / "bin/ssh",
        f"""while [ $# -gt 0 ]; do case "$1" in -o) shift 2;; -*) shift;; *) break;; esac; done
host=$1; shift
case $host in hosta|hostb) ;; *) echo "ssh: Could not resolve hostname $host" >&2; exit 255;; esac
exec unshare --mount --uts --ipc sh -c '
  mount -t tmpfs none /dev/shm && mount --bind {names} /etc/hosts && hostname "$0" && cd / && exec sh -c "$1"' "$host" "$*"
""",
    )
    file = folder / "hosts"
    file.write_text("hosta slots=2\nhostb:2\n")
    return file, f"{folder / 'bin'}:{os.environ['PATH']}"
