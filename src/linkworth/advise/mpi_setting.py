"""The setting of an MPI library that gains most in a chosen environment."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from linkworth.model.advice import Advice, SettingGain
from linkworth.model.fabric import Fabric
from linkworth.predict.shorter import replayed
from linkworth.predict.target import TargetMachine
from linkworth.replay.collectives import rules_for
from linkworth.replay.mpi_settings import command_line, tried
from linkworth.trace.read import TraceFile

LEAST_GAIN = 0.05


class ReplayedCase(NamedTuple):
    """Replay on a number of nodes, with all that is needed to repeat it."""

    trace: TraceFile
    fabrics: Mapping[str, Fabric]
    target: TargetMachine


def with_setting(advice: Advice, cases: Mapping[int, ReplayedCase]) -> Advice:
    """Return the advice with the setting that gains most in its choice, if that is more than 5 %.

    `cases` are by number of nodes.
    """
    if advice.choice_option is None:
        return advice
    option = advice.options[advice.choice_option]
    case = cases[option.nodes]
    fabric = case.fabrics[option.fabric]
    target = case.target
    layout = target.arrangement.layout(case.trace.engine.ranks)
    rules = rules_for(case.trace.metadata.mpi, target.settings)
    gains = []
    for name, value in tried(rules, fabric):
        if name in target.settings.mpi_settings:
            continue
        settings = msgspec.structs.replace(
            target.settings, mpi_settings=target.settings.mpi_settings | {name: value}
        )
        found = replayed(case.trace, fabric, layout, cpu_factor=target.cpu_factor, settings=settings)
        seconds = found.prediction.seconds
        gains.append(
            SettingGain(
                name=name,
                value=value,
                seconds=seconds,
                gain=1 - seconds / option.seconds,
                command=command_line(name, value),
            )
        )
    best = max(gains, key=lambda each: each.gain, default=None)
    if best is None or best.gain <= LEAST_GAIN:
        return advice
    return msgspec.structs.replace(advice, mpi_setting=best)
