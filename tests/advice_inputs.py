"""Predictions and prices made by hand, as an advice takes them."""

from linkworth.model.prediction import Prediction, PredictionSet
from linkworth.model.price import Price


def predicted(times, nodes, ranks=64, **more):
    return PredictionSet(
        workload=more.pop("workload", "app"),
        ranks=ranks,
        nodes=nodes,
        ppn=more.pop("ppn", -(-ranks // nodes)),
        predictions=[
            Prediction(
                fabric=fabric,
                seconds=seconds,
                compute_seconds=seconds,
                overhead_seconds=0.0,
                latency_seconds=0.0,
                bandwidth_seconds=0.0,
                wait_seconds=0.0,
                internode_bytes=0,
            )
            for fabric, seconds in times.items()
        ],
        **more,
    )


def price(name, fabric, usd, **more):
    facts = {"provider": "p", "region": "r", "date": "2026", "source": "s"} | more
    return Price(name=name, fabric=fabric, usd_per_node_hour=usd, **facts)
