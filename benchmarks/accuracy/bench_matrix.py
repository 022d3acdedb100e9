"""Time of all predictions of a study: eight programs, classes A to D, two networks, without cached traces.

    .venv/bin/python benchmarks/accuracy/bench_matrix.py [--classes ABCD] [--json]

64 ranks on two nodes, InfiniBand FDR and Gigabit Ethernet, computation at the rates of a machine of the catalog. Nothing is
recorded before: the time holds the recording of each skeleton and both replays, on all cores. The baseline is the limit of
120 s for the whole, and 60 s the aim.
"""

import argparse
import json
import time

from linkworth.catalog import fabrics
from linkworth.predict import predict, request
from linkworth.replay.layout import Arrangement
from linkworth.skeleton.rates import RateRequest

PROGRAMS = ("is", "ep", "cg", "mg", "ft", "bt", "sp", "lu")
MACHINE = "xeon-e5-2650v3-x2"
LIMIT_SECONDS = 120.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", default="ABCD")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    networks = [fabrics.get(name) for name in ("ib-fdr", "gbe")]
    rows = []
    begin = time.perf_counter()
    for letter in given.classes:
        for program in PROGRAMS:
            start = time.perf_counter()
            with request.traced(f"npb:{program}.{letter}", 64, RateRequest(machine=MACHINE)) as trace:
                found = predict(trace, networks, Arrangement(nodes=2))
            took = time.perf_counter() - start
            seconds = [each.seconds for each in found.predictions]
            rows.append(
                {
                    "program": f"{program}.{letter}",
                    "messages": found.predictions[0].messages,
                    "fast_seconds": seconds[0],
                    "slow_seconds": seconds[1],
                    "took_seconds": took,
                }
            )
            if not given.json:
                times = "   ".join(
                    f"{network.name} {value:10.2f} s"
                    for network, value in zip(networks, seconds, strict=True)
                )
                messages = found.predictions[0].messages
                print(
                    f"{program}.{letter} {messages:12,d} messages   {times}   took {took:6.2f} s", flush=True
                )
    whole = time.perf_counter() - begin
    if given.json:
        print(json.dumps({"schema": "linkworth.benchmark/1", "rows": rows, "seconds": whole}))
        return
    print(
        f"{2 * len(rows)} predictions in {whole:.1f} s, {whole / LIMIT_SECONDS:.2f} of the limit of {LIMIT_SECONDS:.0f} s"
    )


if __name__ == "__main__":
    main()
