from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.errors import UsageError
from linkworth.model.place import Place
from linkworth.model.study import Environment, Study, StudyPrediction, StudyWorkload
from linkworth.study.filter import Filter
from linkworth.study.matrix import expand, file_name, layout

NAMES = st.lists(
    st.text(st.sampled_from("abAB:./ _@-é~"), min_size=1, max_size=6),
    min_size=1,
    max_size=5,
    unique_by=str.lower,
)


def study(workloads, environments, **options):
    return Study(
        name="s",
        workloads=[StudyWorkload(name=name, command=["true"]) for name in workloads],
        environments=[Environment(name=name) for name in environments],
        **options,
    )


@given(NAMES, NAMES, st.integers(1, 4), st.integers(0, 2), st.integers(0, 1 << 40))
def test_each_pair_once_a_block_and_the_same_order_for_a_seed(
    workloads, environments, repetitions, warm_ups, seed
):
    wanted = study(workloads, environments, repetitions=repetitions, warm_ups=warm_ups)
    try:
        runs = expand(wanted, seed)
    except UsageError as error:
        assert "would have the same folder" in str(error)
        return
    pairs = {(workload, environment) for workload in workloads for environment in environments}
    blocks = [[run for run in runs if run.block == block] for block in range(-warm_ups, repetitions)]
    assert [run for block in blocks for run in block] == runs
    for block in blocks:
        assert {(run.workload.name, run.environment.name) for run in block} == pairs
        assert [run.order for run in block] == list(range(len(pairs)))
    assert len({run.run.lower() for run in runs}) == len(runs)
    assert expand(wanted, seed) == runs


@given(st.text(max_size=300))
def test_a_file_name_is_one(text):
    name = file_name(text)
    assert name and len(name) < 100 and "/" not in name and not name.startswith(".") and "@" not in name
    assert name.isascii() and name.isprintable()


@given(NAMES)
def test_different_names_have_different_file_names_but_for_colons_and_spaces(names):
    found = Counter(file_name(name) for name in {name.replace(":", "-").replace(" ", "-") for name in names})
    assert all(count == 1 for count in found.values())


def test_orders_and_patterns_decide_what_runs():
    wanted = study([str(n) for n in range(8)], "ab", repetitions=2)

    def order(seed, block):
        return [run.run.rsplit("@", 1)[0] for run in expand(wanted, seed) if run.block == block]

    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)
    wanted = Study(
        name="s",
        workloads=[
            StudyWorkload(name="npb:ft.S", command=["npb:ft.S"]),
            StudyWorkload(name="bench:latency", command=["bench:latency"], environments=["*-1"]),
        ],
        environments=[Environment(name="nic-1"), Environment(name="nic-2", workloads=["npb:*"])],
    )
    found = {(run.workload.name, run.environment.name) for run in expand(wanted, 0)}
    assert found == {("npb:ft.S", "nic-1"), ("npb:ft.S", "nic-2"), ("bench:latency", "nic-1")}


def test_what_is_run_changes_the_definition_and_what_is_only_said_does_not():
    def definition(**environment):
        one = study(["w"], [])
        wanted = Study(name="s", workloads=one.workloads, environments=[Environment(name="e", **environment)])
        return expand(wanted, 0)[0].definition

    assert definition() == definition(title="said", usd_per_node_hour=1.0, workloads=["w"])
    assert definition() == definition(
        fabric="gbe", cpu_factor=2.0, placement="cyclic", mpi_settings={"a": "b"}
    )
    changed = [{"mtu": 9000}, {"ranks": 2}, {"mpi": "mpich"}, {"where": Place(binding="core")}]
    assert len({definition(), *(definition(**each) for each in changed)}) == 5


def test_the_network_and_mpi_of_the_times_behind_a_prediction_change_its_definition(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text("first")

    def predicted(fabric, mpi=None, measured_on="here"):
        wanted = Study(
            name="s",
            workloads=study(["w"], []).workloads,
            environments=[
                Environment(name="here", fabric=fabric, mpi=mpi),
                Environment(name="there", fabric="ib-fdr", modes=["predict"]),
            ],
            prediction=StudyPrediction(measured_on=measured_on),
        )
        return next(run for run in expand(wanted, 0) if run.mode == "predict")

    assert predicted("gbe").definition != predicted("10gbe").definition
    assert predicted("gbe", None, "").definition != predicted("gbe", "mpich", "").definition
    before = predicted(str(file))
    file.write_text("second")
    assert predicted(str(file)).inputs[str(file)] != before.inputs[str(file)]


def test_layouts():
    whole = Study(name="s", workloads=[], environments=[], ranks=16, nodes=4)

    def laid(workload=None, environment=None):
        return layout(
            whole,
            StudyWorkload(name="w", command=["x"], **(workload or {})),
            Environment(name="e", **(environment or {})),
        )

    assert laid() == (16, 4, None)
    assert laid(environment={"nodes": 2, "ranks_per_node": 8}) == (16, 2, 8)
    assert laid({"ranks": 2}, {"ranks_per_node": 4}) == (2, 2, None)
    assert laid({"ranks": 2, "nodes": 1}) == (2, 1, None)
    with pytest.raises(UsageError, match="16 ranks do not fit on 4 nodes with 2 ranks each"):
        laid(environment={"ranks_per_node": 2})


def test_programs_without_a_skeleton_are_recorded_once_for_predictions():
    wanted = Study(
        name="s",
        workloads=[
            StudyWorkload(name="own", command=["./own"]),
            StudyWorkload(name="npb:ft.S", command=["npb:ft.S"]),
        ],
        environments=[
            Environment(name="a"),
            Environment(name="b"),
            Environment(name="fdr", fabric="ib-fdr", modes=["predict"]),
        ],
    )
    assert [run.run for run in expand(wanted, 0) if run.mode == "trace"] == ["own@a@trace@r000"]
    only = Study(name="s", workloads=wanted.workloads, environments=wanted.environments[2:])
    assert [run.run for run in expand(only, 0) if run.mode == "trace"] == ["own@here@trace@r000"]
    everything = Study(
        name="s",
        workloads=wanted.workloads,
        environments=wanted.environments,
        measure=["time", "trace"],
        prediction=StudyPrediction(record_on="b"),
    )
    assert [run.run for run in expand(everything, 0) if run.mode == "trace"] == [
        "own@b@trace@r000",
        "npb-ft.S@b@trace@r000",
    ]


def test_filters():
    runs = expand(study(["npb:ft.S", "npb:is.S"], ["gbe", "fdr"], repetitions=2), 0)

    def fitting(*expressions):
        chosen = Filter(expressions)
        return sorted(run.run for run in runs if chosen.fits(run))

    assert fitting("workload=npb:ft.* environment=gbe") == [
        "npb-ft.S@gbe@measure@r000",
        "npb-ft.S@gbe@measure@r001",
    ]
    assert len(fitting("repetition=0")) == 4
    assert fitting("workload=npb:ft.S,npb:is.S", "repetition=1 environment=fdr") == [
        "npb-ft.S@fdr@measure@r001",
        "npb-is.S@fdr@measure@r001",
    ]
    for wrong, sentence in [("workload", "write KEY=PATTERN"), ("colour=red", "there is no 'colour'")]:
        with pytest.raises(UsageError, match=sentence):
            Filter([wrong])


@pytest.mark.parametrize("key", ["repetitions", "warm_ups"])
def test_a_plan_too_large_is_refused_before_it_is_expanded(key):
    with pytest.raises(
        UsageError, match=r"it asks for 200000000\d runs .* at most 100000: lower repetitions"
    ):
        expand(study(["a", "b"], ["c"], **{key: 10**9}), 1)


def test_a_matrix_too_large_is_refused_before_it_is_made():
    many = [str(number) for number in range(3000)]
    with pytest.raises(UsageError, match=r"3000 workloads in 3000 environments are 9000000 pairs"):
        expand(study(many, many), 1)
