"""Options that describe an emulated cluster."""

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import rich_click as click

from linkworth.cli.option_group import OptionGroup
from linkworth.errors import UsageError
from linkworth.lab import dilation
from linkworth.lab import spec as specs
from linkworth.lab.spec import LabSpec

_Command = TypeVar("_Command", bound=Callable[..., Any])


def spec_of(*, like: str | None, dilate: str | None, **options: str | None) -> LabSpec:
    """Return a lab's description from the options' values. Raises UsageError."""
    base = LabSpec()
    if like is not None:
        found = specs.preset(like)
        if found is None:
            raise UsageError(
                f"--like {like}: no such preset; there are {', '.join(specs.PRESETS)}, and NAMExK (gbex4)"
            )
        base = found
    spec = specs.with_options(base, {name: text for name, text in options.items() if text is not None})
    if spec.aggregate != "bond" and options["bond_mode"] is not None:
        raise UsageError(
            f"--bond-mode {options['bond_mode']}: it is the mode of --aggregate bond; give that too"
        )
    if spec.nics == 1 and options["aggregate"] is not None:
        raise UsageError(f"--aggregate {options['aggregate']}: a node has one NIC; give more with --nics")
    return dilation.dilated(spec, dilate) if dilate is not None else spec


def _choice(name: str, kind: object, text: str, default: str) -> Callable[[_Command], _Command]:
    words = ", ".join(get_args(kind))
    help_text = f"{text}: {words}.  [default: {default}]"
    return click.option(name, type=click.Choice(list(get_args(kind))), metavar="KIND", help=help_text)


spec_options = OptionGroup("spec", spec_of, [
    click.option("--like", metavar="PRESET", help="Start from a preset: gbe, 100mbit, 10gbe, ..., or NAMExK (gbex4) for K NICs."),
    click.option("--nodes", metavar="N", help=f"Nodes.  [default: {specs.DEFAULT_NODES}]"),
    click.option("--nics", metavar="K", help="Data NICs of each node.  [default: 1]"),
    click.option("--rate", metavar="RATE", help="Rate of each NIC, each way: 1gbit, 100mbit.  [default: unshaped]"),
    click.option("--mtu", metavar="BYTES", help="Largest IP packet. With it, GSO, TSO and GRO are off, so that packets "
                 "have this size.  [default: 1500, with these on]"),
    click.option("--latency", metavar="TIME", help="Latency that a link adds, one way: 30us.  [default: none]"),
    click.option("--jitter", metavar="TIME", help="Standard deviation of the added latency, drawn for each "
                 "packet: GSO, TSO and GRO are off.  [default: 0]"),
    click.option("--moderation", metavar="TIME", help="Time between a NIC's interrupts, at which it hands over what has come: "
                 "250us.  [default: each packet at once]"),
    click.option("--loss", metavar="SHARE", help="Share of packets that a link loses: 0.001 or 0.1%. GSO, TSO and "
                 "GRO are off.  [default: 0]"),
    click.option("--buffer", metavar="BYTES", help="Bytes that the switch buffers for each node's link, such as 128K. "
                 "Further packets are dropped one by one, with GSO, TSO and GRO off.  [default: it drops none]"),
    _choice("--aggregate", specs.Aggregate, "Use of several NICs as one", "stripe"),
    _choice("--bond-mode", specs.BondMode, "Mode of --aggregate bond", "balance-rr"),
    click.option("--dilate", metavar="FACTOR", help="Slow the links down by this factor, as shared cores slow computation down; "
                 "8ranks: by the slowdown of 8 ranks, measured here.  [default: 1]"),
    _choice("--isolation", specs.IsolationKind, "What a node is", "namespace"),
])  # fmt: skip
"""Options of a verb that receives a LabSpec."""
