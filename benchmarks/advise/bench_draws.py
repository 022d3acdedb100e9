"""Time that the draws add to an advice, for a short and a long trace.

    .venv/bin/python benchmarks/advise/bench_draws.py [--programs npb:ft.A npb:lu.A] [--ranks 16]

The baseline is the same advice without draws, in the same run: four fabrics of the demo catalog on two nodes and on four.
"""

import argparse
import os
import sys
import time

from linkworth.advise.request import PriceOptions
from linkworth.advise.run import advise_on_request
from linkworth.advise.source import TraceRequest
from linkworth.predict.request import traced
from linkworth.skeleton.rates import RateRequest


def main() -> int:
    """Print one line a program."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--programs", nargs="+", default=["npb:ft.A", "npb:cg.A", "npb:lu.A"])
    options.add_argument("--ranks", type=int, default=16)
    given = options.parse_args()
    print(f"load      {os.getloadavg()[0]:.2f}")
    for program in given.programs:
        with traced(program, given.ranks, RateRequest(machine="xeon-e5-2650v3-x2")) as path:
            seconds = []
            for draws in (0, None):
                began = time.perf_counter()
                advice = advise_on_request(
                    TraceRequest(workloads=[str(path)], nodes=(2, 4)),
                    None,
                    prices=PriceOptions(catalog="demo"),
                    draws=draws,
                )
                seconds.append(time.perf_counter() - began)
        print(
            f"{program} on {given.ranks} ranks, 8 options: {seconds[0]:.2f} s without draws, {seconds[1]:.2f} s with "
            f"{advice.draws} draws ({seconds[1] / seconds[0]:.1f} times)"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
