"""`linkworth profile`: profile of a program from its trace."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from linkworth.cli.damage_option import INCOMPLETE_INPUT, damage_option
from linkworth.cli.given import refuse
from linkworth.cli.output import console, emit_json, json_option, note, screen_console

if TYPE_CHECKING:
    from linkworth.trace.read import Allowance


@click.command()
@click.argument("trace", metavar="TRACE", type=click.Path(path_type=Path))
@click.option(
    "--smaller",
    type=click.Path(path_type=Path),
    metavar="TRACE2",
    help="A trace of the same program on as many ranks with a smaller problem. The group then follows from both.",
)
@click.option(
    "--whole",
    is_flag=True,
    help="Replay all events of a long trace, and not only its beginning, for the group, serialisation and transfer.",
)
@click.option(
    "--full",
    is_flag=True,
    help="Print every call with its places, every message size and phase, and the meaning of each figure.",
)
@damage_option("profile", lambda _: {"calls": [], "group": None})
@json_option("profile")
def command(
    trace: Path, smaller: Path | None, whole: bool, full: bool, allowed: "Allowance | None", as_json: bool
) -> int:
    """Show where the ranks' time went in TRACE: computation, communication and waiting; calls, phases and iterations;
    message sizes and partners.

    POP efficiencies, each of a whole: parallel efficiency = load balance x communication efficiency. Load balance =
    mean / longest computation of a rank. Communication efficiency = longest computation / run time = serialisation
    efficiency (longest computation / ideal time) x transfer efficiency (ideal time / run time). The ideal time is that of a
    replay on a network without latency and overhead and of infinite bandwidth.

    The group (highly dependent, dependent, low, none) states how much the
    program depends on the network. It comes from a replay on gigabit Ethernet, extrapolated to a larger problem.
    """
    from linkworth.cli.profile_screen import show
    from linkworth.cli.steps import running
    from linkworth.profile import build_profile
    from linkworth.trace.read import Allowance, open_trace

    if as_json:
        refuse(("full",), "--json has everything; leave one of them out")
    # Recorded data is valid even if the run broke off; results of its replays are not.
    readable = allowed or Allowance()
    other = open_trace(smaller, readable) if smaller is not None else None
    with running(f"profiling {trace.name}"):
        profile = build_profile(
            open_trace(trace, readable), other, whole=whole, replay_incomplete=allowed is not None
        )
    for lacks in readable.lacks:
        note(f"linkworth: warning: {lacks}")
    if as_json:
        emit_json(profile)
    else:
        show(profile, console() if full else screen_console(), full=full)
    return INCOMPLETE_INPUT if readable.lacks else 0
