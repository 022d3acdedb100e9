"""Hand-made report items: three programs of known shape, and one with hostile names."""

import msgspec
from advice_inputs import price
from msgspec.structs import replace

from linkworth.model.activities import Activities
from linkworth.model.advice import Advice, AdviceOption
from linkworth.model.fabric import Fabric, Path, SourceNote
from linkworth.model.prediction import Prediction, PredictionSet, SensitivityGrid
from linkworth.model.profile import CallTotals, Matrix, NetworkGain, Pop, Profile, Shares, SizeBin
from linkworth.model.trace import MpiInfo, RankInfo, TraceMetadata
from linkworth.report import ReportItem
from linkworth.writing.documents import with_texts

LINKS = {"gbe": (25e-6, 1.25e8), "10gbe": (10e-6, 1.25e9), "ib-fdr": (1e-6, 6.8e9), "ib-hdr": (0.8e-6, 25e9)}
PRICES = {"gbe": 0.78, "10gbe": 0.85, "ib-fdr": 0.975, "ib-hdr": 1.3}
NODES = 2


def fabric(name: str) -> Fabric:
    latency, bandwidth = LINKS[name]
    return Fabric(
        name=name,
        title=f"{name} of the tests",
        link=Path(latency_seconds=latency, bandwidth_bytes_per_second=bandwidth),
        intranode=Path(latency_seconds=3e-7, bandwidth_bytes_per_second=8e9),
        sources=[SourceNote(fields=["link"], source="chosen for the tests", date="2025-01")],
    )


def seconds(compute: float, latencies: float, volume: float, latency: float, bandwidth: float) -> float:
    return compute + latencies * latency + volume / bandwidth


def grid(name: str, compute: float, latencies: float, volume: float) -> SensitivityGrid:
    latency, bandwidth = LINKS[name]
    factors = [1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0, 8.0]
    rows, columns = [latency * f for f in factors], [bandwidth * f for f in factors]
    times = [[seconds(compute, latencies, volume, row, column) for column in columns] for row in rows]
    return SensitivityGrid(
        fabric=name, latency_seconds=rows, bandwidth_bytes_per_second=columns, seconds=times
    )


def activities(ranks: int, end: float, share: float) -> Activities:
    """Return a run of ten stretches, of which `share` of every second one is waiting."""
    width = end / 10
    waiting = [[width * share * (at % 2) for at in range(10)] for _ in range(ranks)]
    return Activities(
        ranks=ranks,
        ranks_per_row=1,
        width_seconds=width,
        end_seconds=end,
        seconds={
            "computation": [[width - each for each in row] for row in waiting],
            "collective": [[each / 2 for each in row] for row in waiting],
            "waiting": [[each / 2 for each in row] for row in waiting],
        },
    )


def item(
    name: str = "npb:ft.W",
    *,
    ranks: int = 16,
    compute: float = 0.05,
    latencies: float = 400.0,
    volume: float = 2e7,
    verified: bool | None = True,
    group: str = "highly dependent",
    host: str = "node-a",
    command: list[str] | None = None,
) -> ReportItem:
    predictions, options = [], []
    for fabric_name, (latency, bandwidth) in LINKS.items():
        total = seconds(compute, latencies, volume, latency, bandwidth)
        predictions.append(
            Prediction(
                fabric=fabric_name,
                seconds=total,
                compute_seconds=compute,
                overhead_seconds=0.0,
                latency_seconds=latencies * latency,
                bandwidth_seconds=volume / bandwidth,
                wait_seconds=0.0,
                internode_bytes=int(volume * 8),
                messages=4000,
            )
        )
        options.append(
            AdviceOption(
                fabric=fabric_name,
                seconds=total,
                cost_usd=total * NODES * PRICES[fabric_name] / 3600,
                price_usd_per_node_hour=PRICES[fabric_name],
            )
        )
    choice = min(options, key=lambda option: (option.cost_usd, option.seconds))
    fastest = min(options, key=lambda option: option.seconds)
    pair = int(volume * 15 / ranks / ranks)
    communication = 0.45 if volume else 0.01
    return ReportItem(
        profile=Profile(
            workload=name,
            ranks=ranks,
            elapsed_seconds=1.7,
            shares=(shares := Shares(compute=0.9 - communication, communication=communication, init=0.1)),
            run_shares=shares.of_run,
            init_seconds=0.17,
            calls=[
                CallTotals(name="MPI_Alltoall", count=160, bytes=int(volume * 15), seconds=3.1),
                CallTotals(name="MPI_Reduce", count=96, bytes=1536, seconds=0.2),
            ],
            pop=Pop(
                parallel_efficiency=0.52,
                load_balance=0.95,
                communication_efficiency=0.55,
                serialisation_efficiency=0.97,
                transfer_efficiency=0.57,
            ),
            gain=NetworkGain(fabric="gbe", seconds=1.2, ideal_seconds=0.4),
            group=group,  # type: ignore[arg-type]
            group_reason="Communication takes 45 % of the time on the reference Ethernet and grows with the problem.",
            message_sizes=[
                SizeBin(lowest_bytes=16, highest_bytes=31, messages=960, bytes=15360),
                SizeBin(lowest_bytes=32, highest_bytes=63, messages=0, bytes=0),
                SizeBin(
                    lowest_bytes=65536, highest_bytes=131071, messages=2400, bytes=max(1, int(volume * 15))
                ),
            ],
            matrix=Matrix(
                ranks_per_row=1,
                bytes=[
                    [0 if i == j else pair * (2 if i // 8 == j // 8 else 1) for j in range(ranks)]
                    for i in range(ranks)
                ],
            ),
            messages=3360,
            message_bytes=int(volume * 15),
            verified=verified,
            oversubscribed=True,
            descheduled_seconds=2.4,
        ),
        predictions=PredictionSet(
            workload=name,
            ranks=ranks,
            nodes=NODES,
            ppn=ranks // NODES,
            predictions=predictions,
            region="marked",
        ),
        node_of_rank=[rank * NODES // ranks for rank in range(ranks)],
        advice=Advice(
            workload=name,
            ranks=ranks,
            nodes=NODES,
            choice=choice.fabric,
            reason=f"{choice.fabric} costs least.",
            options=options,
            breakeven_price_ratio=options[0].seconds / fastest.seconds,
        ),
        grids=[grid(fabric_name, compute, latencies, volume) for fabric_name in LINKS],
        fabrics=[fabric(fabric_name) for fabric_name in LINKS],
        prices=[
            price("test-node", fabric_name, usd, date="2025-01-01", source="chosen for the tests")
            for fabric_name, usd in PRICES.items()
        ],
        recorded=activities(ranks, 1.7, 0.8),
        predicted={"gbe": activities(ranks, 0.22, 0.6), choice.fabric: activities(ranks, 0.053, 0.1)},
        metadata=TraceMetadata(
            workload=name,
            command=command or ["lw-npb", "ft", "W"],
            created="2025-11-21T10:00:00Z",
            mpi=MpiInfo(library="MPICH", version="4.0.2"),
            verified=verified,
            reported_seconds=0.52,
            ranks=[RankInfo(rank=rank, host=host, cores=2) for rank in range(ranks)],
        ),
    )


def three() -> list[ReportItem]:
    return [
        item("npb:ep.W", compute=0.4, latencies=12, volume=0, group="none"),
        item("npb:ft.W"),
        item("npb:cg.W", compute=0.05, latencies=4000, volume=2e6, group="dependent"),
    ]


HOSTILE = [
    "<script>alert(1)</script></script><img src=x onerror=alert(1)>",
    "\"'><svg onload=alert(1)>\u202eevil\u202c {{ 7*7 }} <!--",
]


def hostile() -> list[ReportItem]:
    return [item(name, host=name, command=[name, "--x", name]) for name in HOSTILE]


def renamed(whole: ReportItem, old: str, new: str) -> ReportItem:
    """Return an item with another name of a network."""
    document = with_texts(msgspec.to_builtins(whole), lambda text: new if text == old else text)
    return msgspec.convert(document, ReportItem)


def unpriced(whole: ReportItem) -> ReportItem:
    """Return an item without prices and without grids, as of a run that takes no time."""
    advice = replace(whole.advice, choice=None, options=[], breakeven_price_ratio=None)
    return replace(whole, advice=advice, grids=[], prices=[])


def without_replays() -> ReportItem:
    """An item of a converted trace whose replays for the profile stop."""
    whole = item()
    profile = replace(
        whole.profile,
        pop=replace(whole.profile.pop, serialisation_efficiency=None, transfer_efficiency=None),
        group=None,
        group_reason="this trace lacks messages",
        not_replayed="serialisation is not known, because a replay stops",
    )
    return replace(whole, profile=profile)
