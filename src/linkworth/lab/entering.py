"""Scripts that let commands and MPI launchers enter the places of a lab."""

import os
from pathlib import Path

from linkworth.lab.kernel import tool
from linkworth.lab.plan import MARK
from linkworth.lab.state import LabState

PLACES = "places"
NAMESPACES = "--net --uts --mount --ipc"

# A place's file sets `pid`, `namespaces` and `cgroup`. The cgroup is entered first, since it is the outer
# one.
_ENTER = """#!/bin/sh
# enter PLACE COMMAND [ARGUMENT...]: run a command in a place of the lab {name}, in the folder of the caller.
place=$1
shift
if [ ! -f "{places}/$place" ]; then
    echo "the lab {name} has no node $place" >&2
    exit 3
fi
. "{places}/$place"
export {mark_name}={mark}
if [ -n "$cgroup" ]; then
    echo $$ > "$cgroup/cgroup.procs" || exit 3
fi
{user}
exec "{nsenter}" --target "$pid" $user $namespaces -- /bin/sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
"""
_USER = """user="--user --preserve-credentials"
if [ /proc/self/ns/user -ef "/proc/$pid/ns/user" ]; then
    user=
fi"""

# Open MPI and Hydra call it like ssh: options, host, and words that the remote shell joins.
_AGENT = """#!/bin/sh
# agent [OPTION...] HOST WORD...: what ssh is on a cluster.
while [ "${{1#-}}" != "$1" ]; do
    shift
done
place=$1
shift
exec "{enter}" "$place" /bin/sh -c "$*"
"""


def write_scripts(folder: Path, state: LabState) -> None:
    """Write the scripts and the places' files into the lab's folder."""
    places = folder / PLACES
    places.mkdir(exist_ok=True)
    for name, place in state.places.items():
        namespaces = f"{NAMESPACES} --pid" if place.inside else NAMESPACES
        text = f"pid={place.inside or place.pid}\nnamespaces='{namespaces}'\ncgroup='{place.cgroup}'\n"
        (places / name).write_text(text)
    user = _USER if state.own_user_namespace else "user="
    enter = folder / "enter"
    text = _ENTER.format(
        name=state.name, places=places, mark_name=MARK, mark=state.mark, user=user, nsenter=tool("nsenter")
    )
    enter.write_bytes(os.fsencode(text))
    agent = folder / "agent"
    agent.write_bytes(os.fsencode(_AGENT.format(enter=enter)))
    for script in (enter, agent):
        script.chmod(0o755)
