"""Tables and figures of a study, compared with samples with known answers."""

import pytest
import study_samples as samples
from msgspec.structs import replace
from study_samples import record

from linkworth.model.study import Environment, Study, StudyComparison, StudyWorkload
from linkworth.report.study import unlike
from linkworth.report.study.comparing import comparisons, pair
from linkworth.report.study.contents import contents
from linkworth.report.study.request import crowded
from linkworth.report.study.results import Results
from linkworth.report.study.sections import costs, gains, steps, times
from linkworth.report.study.trace_profiles import TraceProfile
from linkworth.report.table import Cell
from linkworth.statistics import compare


def cells(table, first):
    """Return the cells of the row with that head, by the column's title (the first of equal ones)."""
    row = next(row for row in table.rows if row[0].text == first)
    found: dict[str, Cell] = {}
    for column, cell in zip(table.columns, row, strict=True):
        found.setdefault(column.title, cell)
    return found


def test_only_what_the_study_holds_is_there(interconnects_sections, networks_sections):
    assert list(interconnects_sections) == [
        "times-1", "gains", "costs", "profiles", "groups", "cells", "lost", "environments",
    ]  # fmt: skip
    assert list(networks_sections) == [
        "steps-1", "curve-1", "by-mtu", "iterations", "traffic", "cores", "cells", "environments",
    ]  # fmt: skip


def test_times_stand_side_by_side_with_their_difference(interconnects_sections):
    row = cells(interconnects_sections["times-1"].tables[0], "npb:ft.C")
    assert row["gbe, measured"].value == pytest.approx(72, rel=0.02)
    assert row["gbe, predicted"].value == pytest.approx(72 * 1.05)
    assert row["gbe, predicted"].mark == "predicted"
    assert "7 runs" in row["gbe, measured"].note
    # 8 + 6.4 of 8 + 64 seconds.
    assert row["against gbe"].value == pytest.approx(14.4 / 72 - 1, abs=0.01)
    assert row["against gbe"].note.endswith("faster, outside 3 sigma")
    assert row["gbe: prediction off by"].value == pytest.approx(0.05, abs=0.015)
    row = cells(interconnects_sections["times-1"].tables[0], "npb:ep.B")
    assert row["against gbe"].note.endswith("same, within 3 sigma")


def test_lost_runs_are_said_and_never_averaged(interconnects, interconnects_sections):
    cell = cells(interconnects_sections["times-1"].tables[0], "npb:ep.A")["gbe, measured"]
    assert cell.value == pytest.approx(0.3, rel=0.03), "the warm-up of a million seconds is in no mean"
    assert "5 runs, 1 unverified, 1 failed" in cell.note
    group = interconnects.group("npb:ep.A", "gbe", "measure")
    assert group is not None and len(group.values("seconds")) == 5 and len(group.records) == 7
    lost = interconnects_sections["lost"].tables[0]
    assert {(row[4].text, row[6].text) for row in lost.rows} == {
        ("failed", "node gone"),
        ("unverified", "wrong result"),
        ("done", "link down"),
    }


def test_a_cell_of_lost_runs_alone_says_so():
    study, records = samples.hostile()
    broken = [
        samples.record(r.workload, r.environment, repetition=r.repetition, state="failed", cause="x")
        if r.environment == samples.HOSTILE
        else r
        for r in records
    ]
    results = Results(study, broken)
    table = contents(results)[0].tables[0]
    assert [column.title for column in table.columns] == ["workload", "a", samples.HOSTILE, "against a"]
    assert (table.rows[0][2].text, table.rows[0][2].value) == ("5 failed", None)
    assert comparisons(results) == []


def test_costs_follow_time_nodes_and_price(interconnects_sections):
    costs = interconnects_sections["costs"].tables[0]
    row = next(r for r in costs.rows if (r[0].text, r[1].text, r[2].text) == ("npb:ft.C", "gbe", "predicted"))
    assert row[6].value == pytest.approx(72 * 1.05 * 2 * 0.78 / 3600)
    best = next(
        r for r in costs.rows if (r[0].text, r[1].text, r[2].text) == ("npb:ft.C", "ib-fdr", "predicted")
    )
    assert best[7].text == "cheapest" and best[6].mark == "good"
    assert row[7].value == pytest.approx(72 * 0.78 / (14.4 * 0.975) - 1)
    assert "ib-fdr for 6" in interconnects_sections["costs"].text
    beside = interconnects_sections["costs"].tables[1]
    assert [column.title for column in beside.columns] == ["workload", "time is", "ib-fdr", "gbe", "cheapest"]
    row = cells(beside, "npb:ep.C")
    assert row["cheapest"].text == "gbe" and row["gbe"].value < row["ib-fdr"].value


def test_gains_and_groups_are_by_program_and_class(interconnects_sections):
    measured, predicted = interconnects_sections["gains"].figures
    assert "measured" in measured.table.title and "predicted" in predicted.table.title
    gains = {(row[0].text, row[1].text): row[2].value for row in predicted.table.rows}
    assert gains["ft", "C"] == pytest.approx(72 / 14.4)
    assert gains["ep", "A"] == pytest.approx(1)
    section = interconnects_sections["groups"]
    assert "Highly dependent: FT, IS" in section.text or "highly dependent: FT, IS" in section.text
    rows = {row[0].text: [cell.text for cell in row[1:3]] for row in section.tables[0].rows}
    assert rows["npb:ep.C"] == ["equally fast on all of these networks (predicted)", "none"]


def test_a_gain_over_a_predicted_baseline_is_not_called_measured():
    study, records = samples.interconnects()
    kept = [each for each in records if (each.environment, each.mode) != ("gbe", "measure")]
    (section,) = gains.sections(Results(study, kept))
    titles = [figure.table.title for figure in section.figures]
    assert "(measured against predicted)" in titles[0] and "(predicted)" in titles[1]


def test_the_largest_class_of_a_program_is_by_size_and_not_by_letter():
    """Class W is smaller than class A."""
    names = ["npb:ft.S", "npb:ft.W", "npb:ft.A"]
    study = Study(
        name="s",
        workloads=[StudyWorkload(name=name, command=["x"]) for name in names],
        environments=[Environment(name="a")],
    )
    profiles = {
        (name, ""): TraceProfile(group=group, reason="")
        for name, group in zip(names, ("none", "low", "dependent"), strict=True)
    }
    results = Results(study, [record(name, "a", "trace") for name in names], profiles)
    text = next(section.text for section in contents(results) if section.key == "groups")
    assert text == "By the largest class of each program: dependent: FT."


def test_what_a_stopped_replay_does_not_tell_is_left_out():
    found = {key: each for key, each in samples.profiles().items() if each.metrics}
    stopped = found["npb:ft.A", "gbe"]
    known = {name: each for name, each in stopped.metrics.items() if name != "transfer_efficiency"}
    found["npb:ft.A", "gbe"] = replace(stopped, group=None, reason="a replay stops", metrics=known)
    sections = {each.key: each for each in contents(Results(*samples.interconnects(), found))}
    rows = [[cell.text for cell in row] for row in sections["groups"].tables[0].rows]
    change = "5.00 x as fast on ib-fdr as on gbe (predicted)"
    assert rows[-1] == ["npb:ft.A", change, "not known", "a replay stops"]
    assert sections["groups"].text.endswith("not known: FT.")
    row = next(
        dict(zip([column.title for column in sections["profiles"].tables[0].columns], row, strict=True))
        for row in sections["profiles"].tables[0].rows
        if (row[0].text, row[1].text) == ("npb:ft.A", "gbe, recorded")
    )
    assert row["transfer"].value is None
    assert row["serialisation"].value == pytest.approx(0.9)


def test_the_figures_of_shares_include_initialisation():
    study, records = samples.interconnects()
    shares = {"compute_share": 0.6, "communication_share": 0.4}
    started = [
        replace(one, metrics=one.metrics | shares | {"seconds": 3.0, "init_seconds": 1.0})
        if one.mode == "predict" and one.workload == "npb:is.A"
        else one
        for one in records
    ]
    section = {each.key: each for each in contents(Results(study, started, {}))}["profiles"]
    titles = [each.title for each in section.tables[0].columns]
    (row,) = (r for r in section.tables[0].rows if (r[0].text, r[1].text) == ("npb:is.A", "gbe, predicted"))
    assert row[titles.index("of time with initialisation")].value == pytest.approx(0.25)
    assert row[titles.index("computation")].value == pytest.approx(0.6)
    (drawn,) = (each for each in section.figures if each.table.title.startswith("gbe, predicted"))
    bar = next(r for r in drawn.table.rows if r[0].text == "npb:is.A")
    assert [cell.value for cell in bar[1:]] == pytest.approx([0.45, 0.3, 0.25])


@pytest.mark.parametrize(("reported", "share"), [({}, 0.4), ({"reported_seconds": 1.5}, 0.25)])
def test_mpi_init_counts_once_in_the_time_of_a_measured_run(reported, share):
    metrics = {"compute_share": 0.6, "communication_share": 0.4, "init_seconds": 0.5}
    runs = [
        replace(run, metrics=metrics | reported | {"seconds": reported.get("reported_seconds", 1.25)})
        for run in noisy("a", [1.0, 1.0])
    ]
    (section,) = (each for each in contents(Results(priced(a=1.0), runs)) if each.key == "profiles")
    row = cells(section.tables[0], "npb:ft.A")
    assert row["of time with initialisation"].value == pytest.approx(share)


def test_profiles_say_where_they_are_from(interconnects_sections):
    table = interconnects_sections["profiles"].tables[0]
    sources = {row[1].text for row in table.rows}
    assert sources == {"ib-fdr, predicted", "gbe, predicted", "gbe, recorded"}
    assert sum(row[1].text == "gbe, recorded" for row in table.rows) == 3, (
        "those that were not run have no shares"
    )
    path = interconnects_sections["profiles"].tables[1]
    for row in path.rows:
        assert sum(cell.value for cell in row[3:8]) == pytest.approx(1)


def test_bytes_beside_a_predicted_time_are_those_of_that_time(interconnects_sections):
    row = cells(interconnects_sections["profiles"].tables[1], "npb:ft.C")
    assert row["bytes between nodes in this time"].value == 64e9  # and not those of the whole run


def test_curves_are_equal_by_size_or_not(networks_sections):
    section = networks_sections["curve-1"]
    table = section.tables[0]
    container = [row for row in table.rows if row[0].text == "container"]
    slow = [row for row in table.rows if row[0].text == "slow"]
    assert len(container) == len(slow) == len(samples.SIZES)
    assert all(row[12].text == "same" for row in container)
    assert all(row[12].text == "worse" for row in slow)
    assert "container against native: of 4 sizes" in section.text
    assert [row[3].value for row in slow] == samples.SIZES
    bandwidth, latency = section.figures
    assert len(bandwidth.table.rows) == len(latency.table.rows) == 3 * len(samples.SIZES)


def test_steps_and_mtus_are_compared_in_their_order(networks_sections):
    rows = networks_sections["steps-1"].tables[0].rows
    assert [row[2].text for row in rows] == ["0. sockets only", "1. shared memory", "2. best of today"]
    assert rows[1][4].value == pytest.approx(-1 / 3, abs=0.01)
    assert ", same" in rows[2][4].note, "1.7 % is within the margin of 5 %"
    assert rows[2][5].value == pytest.approx(5.9 / 9 - 1, abs=0.01)
    (drawing,) = networks_sections["by-mtu"].figures
    assert [row[1].value for row in drawing.table.rows] == [1500, 4000, 9000]
    assert {row[0].text for row in drawing.table.rows} == {"sockets"}
    assert drawing.table.rows[2][3].value == pytest.approx(9.5e7 * 6**0.5, rel=0.01)


def test_counters_are_by_nic_core_and_time(networks_sections):
    repairs, nics = networks_sections["traffic"].tables
    row = repairs.rows[0]
    assert (row[1].text, row[2].value) == ("sockets", 2)
    # Two nodes: 2 x (10 + 20) MB; 140 of 28,000 segments.
    assert row[3].value == pytest.approx(6e7)
    assert row[6].value == pytest.approx(0.005)
    assert [r[2].text for r in nics.rows if r[1].text == "sockets"] == ["d0", "d1", "lo"]
    assert nics.rows[1][7].value == pytest.approx(2 / 3)
    assert nics.rows[2][7].value is None  # messages inside a node pass no NIC
    row = networks_sections["cores"].tables[0].rows[0]
    assert [cell.value for cell in row[3:]] == [2, *(pytest.approx(x) for x in (0.7, 0.5, 0.9))]
    drawings = [each for each in networks_sections["cores"].figures if "over time" in each.table.title]
    assert [each.table.title for each in drawings] == [
        f"weather on {name}: each core over time" for name in ("sockets", "shared", "best")
    ]
    shares: dict[str, list[object]] = {}
    for row in drawings[0].table.rows:
        shares.setdefault(row[0].text, []).append(row[3].value)
    assert len(shares) == 2 * 2  # nodes, cores
    second = shares["n1, core 1"]
    assert second == [*[pytest.approx(1.0)] * (len(second) // 2), *[pytest.approx(0.0)] * (len(second) // 2)]


def test_iterations_are_medians_over_the_runs(networks_sections):
    section = networks_sections["iterations"]
    assert section.tables[0].rows[0][3].value == 300
    assert len(section.figures[0].table.rows) == 150
    assert "shortest on best" in section.figures[0].table.title


def test_a_study_without_comparisons_takes_the_first_environment():
    results = Results(*samples.hostile())
    found = comparisons(results)
    assert [(each.baseline, each.verdict) for each in found] == [("a", "same")]


def test_a_prediction_against_a_measurement_is_not_tested(interconnects):
    study, records = samples.interconnects()
    kept = [r for r in records if not (r.environment == "gbe" and r.mode == "predict")]
    results = Results(study, kept)
    found = pair(results, StudyComparison(baseline="gbe"), "npb:ft.A", "ib-fdr", "predict", "seconds")
    assert found is not None and found.verdict == "predicted" and found.comparison.p_different is None
    assert {each.verdict for each in comparisons(interconnects) if each.mode == "predict"} == {"predicted"}


def test_two_studies_are_held_against_each_other(interconnects):
    study, records = samples.interconnects()
    slower = [
        samples.record(r.workload, r.environment, r.mode, r.repetition,
                       metrics={**r.metrics, "seconds": r.metrics["seconds"] * 1.3})
        for r in records if r.state == "done"
    ]  # fmt: skip
    study.environments[1] = replace(study.environments[1], mtu=9000)
    section = contents(Results(study, slower), interconnects)[0]
    assert section.key == "against"
    overview, changes, rows = section.tables
    verdicts = [row[8].text for row in rows.rows]
    assert set(verdicts) == {"slower", "predicted"}
    assert len(verdicts) == 2 * 9 * 2
    assert rows.rows[0][6].value == pytest.approx(0.3, abs=0.02)
    measured = next(row for row in overview.rows if row[1].text == "measured")
    assert [cell.value for cell in measured[3:8]] == [9, 0, 9, 0, 0]
    assert measured[8].value == pytest.approx(0.3, abs=0.02)
    assert [[cell.text for cell in row] for row in changes.rows] == [["gbe", "MTU", "–", "9000"]]
    assert section.text.startswith(
        "36 figures of cells that both studies have: 18 slower, 18 predicted. Time of npb:"
    )
    assert "Only in" not in section.text
    assert section.figures[0].table.title.endswith("of that of the other study")


def test_a_figure_with_a_name_that_no_file_can_have_is_compared_in_files():
    study, _ = samples.hostile()
    study.comparisons[:] = [StudyComparison(baseline="a", metrics=["ns/day"])]
    records = [record("w", "a", repetition=n, metrics={"ns/day": 30.0 + n}) for n in range(3)]
    results = Results(study, records)
    (figure,) = contents(results, results)[0].figures
    assert figure.key.startswith("against-ns-day~") and "/" not in figure.key


def test_studies_without_a_common_cell_are_compared_in_one_sentence(interconnects):
    study, records = samples.networks()
    section = contents(Results(study, records), interconnects)[0]
    assert section.text == "No workload ran in the same environment in both studies."
    assert not section.tables and not section.figures


def test_warm_up_and_two_groups_are_reported():
    study, _ = samples.hostile()
    times = [9.0, *(1.0 + n % 2 + n % 3 / 100 for n in range(18))]
    early = [9.0, *(1.0 + n % 5 / 100 for n in range(12))]
    records = [
        samples.record("x", environment, repetition=n, metrics={"seconds": seconds})
        for environment, series in (("a", times), ("b", early))
        for n, seconds in enumerate(series)
    ]
    section = next(s for s in contents(Results(study, records)) if s.key == "cells")
    remarks = {(row[0].text.split(" on ")[1].split(",")[0], row[1].text) for row in section.tables[1].rows}
    assert remarks == {("a", "warm-up"), ("a", "two groups"), ("b", "warm-up")}


@pytest.mark.parametrize("seconds", [{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 1.0}, {"a": 0.0, "b": 0.0}])
def test_times_of_a_coarse_clock_have_no_ratio(seconds):
    """A program may print 0.00 s."""
    study = priced(a=1.0, b=1.0)
    study.comparisons[:] = [StudyComparison(baseline="a", environments=["b"])]
    shares = {"compute_share": 0.5, "communication_share": 0.5, "init_seconds": 0.0}
    records = [
        record(each.name, name, metrics={"seconds": value, **shares})
        for each in study.workloads
        for name, value in seconds.items()
    ]
    keys = {section.key for section in contents(Results(study, records))}
    assert {"times-1", "profiles"} <= keys and "gains" not in keys


def noisy(environment, seconds, workload="npb:ft.A", **facts):
    return [
        record(workload, environment, repetition=n, metrics={"seconds": value}, facts=facts)
        for n, value in enumerate(seconds)
    ]


def priced(nodes=1, **usd):
    return Study(
        name="s",
        workloads=[StudyWorkload(name=f"npb:ft.{problem}", command=["x"]) for problem in "AB"],
        environments=[
            Environment(name=name, nodes=nodes, ranks=2, usd_per_node_hour=price)
            for name, price in usd.items()
        ],
    )


def test_the_cheapest_is_undecided_where_the_runs_do_not_show_it():
    spread = [1.0, 1.3, 0.8, 1.2, 0.9, 1.1]
    records = noisy("a", spread) + noisy("b", [1.05 * seconds for seconds in reversed(spread)])
    (section,) = costs.sections(Results(priced(a=1.0, b=1.0), records))
    assert "of 1 workload the cheapest is shown for none; undecided for 1" in section.text
    assert cells(section.tables[0], "npb:ft.A")["against the cheapest"].text == "cheapest"
    assert "undecided" in section.tables[0].rows[1][7].note
    (section,) = costs.sections(Results(priced(a=1.0, b=3.0), records))
    assert "of 1 workload the cheapest is a for 1." in section.text
    assert "undecided" not in section.tables[0].rows[1][7].note


def drawn(environment, seconds, times, workload="npb:ft.A"):
    series = {"drawn_seconds": times} if times else {}
    return record(workload, environment, "predict", metrics={"seconds": seconds}, series=series)


def test_a_prediction_is_the_cheapest_in_so_many_draws():
    # Under the third draw a is dearer; the fifth was made for a alone.
    records = [drawn("a", 1.0, [1.1, 0.9, 2.3, 1.0, 9.0]), drawn("b", 1.0, [1.0, 1.0, 1.0, 1.2])]
    (section,) = costs.sections(Results(priced(a=1.0, b=2.0), records))
    first, second = section.tables[0].rows
    assert section.tables[0].columns[8].title == "cheapest in draws"
    assert (first[7].text, first[8].text, first[8].value) == ("cheapest", "3 of 4", 0.75)
    assert (second[7].note, second[8].text) == ("dearer in 3 of 4 draws", "1 of 4")
    assert (
        "As predicted, of 1 workload the cheapest is a for 1. Least sure of these is npb:ft.A" in section.text
    )
    assert "a is the cheapest in 3 of 4." in section.text


def test_the_draws_count_for_the_environment_that_is_called_the_cheapest():
    # b costs 0.05 % more in every draw, on a cheaper node.
    records = [drawn("a", 1.0, [1.0, 1.1]), drawn("b", 2.001, [2.001, 2.2011])]
    (section,) = costs.sections(Results(priced(a=2.0, b=1.0), records))
    assert section.tables[0].rows[0][7].text == "cheapest" and "a is the cheapest in 2 of 2." in section.text


def test_a_slower_environment_gains_nothing_and_is_not_called_the_best():
    records = [
        record(f"npb:ft.{problem}", environment, "predict", metrics={"seconds": seconds})
        for problem in "AB"
        for environment, seconds in (("a", 1.0), ("b", 1.25))
    ]
    (section,) = gains.sections(Results(priced(a=1.0, b=1.0), records))
    assert section.figures[0].table.title == "No program is shown to gain from b over a (predicted)"


def test_the_least_sure_choice_is_named_and_what_has_no_draws_says_nothing_of_them():
    both = [drawn("a", 1.0, [1.0, 1.0]), drawn("b", 1.0, [1.0, 1.0])]
    unsure = [drawn("a", 1.0, [1.0, 3.0], "npb:ft.B"), drawn("b", 1.0, [1.0, 1.0], "npb:ft.B")]
    (section,) = costs.sections(Results(priced(a=1.0, b=2.0), both + unsure))
    assert "Least sure of these is npb:ft.B" in section.text and "in 1 of 2." in section.text
    (section,) = costs.sections(Results(priced(a=1.0, b=2.0), [drawn("a", 1.0, [1.0]), drawn("b", 1.0, [])]))
    assert "draws" not in section.text and not any(row[7].note for row in section.tables[0].rows)
    assert len(section.tables[0].columns) == 8


def test_runs_on_other_nodes_of_a_batch_system_cost_as_much():
    study = Study(
        name="s",
        workloads=[StudyWorkload(name="npb:ft.A", command=["x"])],
        environments=[Environment(name="a", usd_per_node_hour=1800.0)],
    )
    records = [
        record("npb:ft.A", "a", repetition=number, metrics={"seconds": 1.0}, facts={"nodes": nodes})
        for number, nodes in enumerate(["n1, n2", "n3, n7"])
    ]
    (section,) = costs.sections(Results(study, records))
    assert cells(section.tables[0], "npb:ft.A")["nodes"].value == 2
    records.append(record("npb:ft.A", "a", repetition=2, metrics={"seconds": 1.0}, facts={"nodes": "n1"}))
    assert list(costs.sections(Results(study, records))) == []


def test_each_comparison_of_a_report_is_computed_once(monkeypatch):
    asked = []

    def counted(first, second, better, *, margin):
        asked.append((first, second))
        return compare(first, second, better, margin=margin)

    monkeypatch.setattr("linkworth.report.study.results.compare", counted)
    times = {"a": [1.0, 1.1, 1.2], "b": [1.5, 1.6, 1.7]}
    records = [
        run for name, each in times.items() for size in "AB" for run in noisy(name, each, f"npb:ft.{size}")
    ]
    results = Results(priced(a=1.0, b=1.0), records)
    found = contents(results)
    assert {"times-1", "gains"} <= {section.key for section in found}
    assert len(comparisons(results)) == len(asked) == 2


def test_a_gain_that_is_not_shown_is_no_headline():
    spread = [1.0, 1.3, 0.8, 1.2, 0.9, 1.1]
    records = [
        run
        for problem in "AB"
        for run in (
            noisy("a", spread, f"npb:ft.{problem}")
            + noisy("b", [0.9 * seconds for seconds in reversed(spread)], f"npb:ft.{problem}")
        )
    ]
    results = Results(priced(a=1.0, b=1.0), records)
    (section,) = gains.sections(results)
    assert section.figures[0].table.title == "No program is shown to gain from b over a (measured)"
    assert [row[5].text for row in section.figures[0].table.rows] == ["undecided"] * 2
    (section,) = times.sections(results)
    assert section.figures[0].table.title == "No difference of time from a is shown by these runs"
    alike = [replace(run, mode="predict") for name in "ab" for run in noisy(name, [1.0])]
    (section,) = times.sections(Results(priced(a=1.0, b=1.0), alike))
    assert section.figures[0].table.title == "No difference of time from a is shown by these runs"
    steady = [1.0, 1.001, 0.999, 1.0, 1.001]
    close = noisy("a", steady) + noisy("b", [1.03 * seconds for seconds in steady])
    (section,) = times.sections(Results(priced(a=1.0, b=1.0), close))
    assert section.figures[0].table.title == "No difference of time from a above 5 % is shown by these runs"


def test_ranks_that_share_cores_are_marked_where_they_do():
    remark = "4 ranks share 2 cores: times include the wait for a core"
    records = noisy("a", [1.0, 1.1]) + noisy("b", [2.0, 2.1], remark=remark)
    results = Results(priced(a=1.0, b=1.0), records)
    (section,) = times.sections(results)
    row = section.tables[0].rows[0]
    assert "ranks share cores" not in row[1].note and "ranks share cores" in row[2].note
    (sentence,) = crowded(results)
    assert sentence.startswith("Ranks shared cores in b (1 of 1 workloads): ")
    assert not list(crowded(Results(priced(a=1.0), noisy("a", [1.0]))))


def test_runs_of_different_things_are_doubted():
    assert unlike.sentences(Results(priced(a=1.0), noisy("a", [1.0, 1.1]))) == []
    first, second = noisy("a", [1.0, 1.1])
    own = replace(second, metrics={"seconds": 1.1, "reported_seconds": 1.1})
    (sentence,) = unlike.sentences(Results(priced(a=1.0), [first, own]))
    assert sentence.startswith(
        "Times of npb:ft.A are the program's own in 1 run, and from launch to end in 1,"
    )
    assert unlike.sentences(Results(priced(a=1.0), [own, own])) == []
    other = replace(second, facts={"mpi": "MPICH 5.0.1"})
    (sentence,) = unlike.sentences(Results(priced(a=1.0), [first, other]))
    assert "Runs on a had different MPI libraries (Open MPI 4.1.4 and MPICH 5.0.1)" in sentence
    old, new = (
        replace(record, files={"/x/app": digest})
        for record, digest in zip((first, second), "12", strict=True)
    )
    (sentence,) = unlike.sentences(Results(priced(a=1.0), [old, new]))
    assert sentence.startswith("/x/app changed between runs of npb:ft.A")
    old, new = (
        replace(record, mode="predict", linkworth=version)
        for record, version in zip((first, second), ("0.1.0", "0.2.0"), strict=True)
    )
    (sentence,) = unlike.sentences(Results(priced(a=1.0), [old, new, new]))
    assert "several versions of linkworth (1 with 0.1.0, 2 with 0.2.0)" in sentence
    ran = replace(first, facts={"nodes": "here"})
    elsewhere = replace(second, mode="predict", facts={"nodes": "2"})
    (sentence,) = unlike.sentences(Results(priced(a=1.0, nodes=None), [ran, elsewhere]))
    assert sentence.startswith("On a, npb:ft.A ran on 1 node, but the predictions are of 2 nodes:")


def test_steps_say_what_is_undecided_and_which_metric_they_are_of():
    spread = [1.0, 1.3, 0.8, 1.2, 0.9, 1.1]
    records = noisy("a", spread) + noisy("b", [0.95 * seconds for seconds in reversed(spread)])
    comparison = StudyComparison(
        title="Gains", baseline="a", environments=["b"], steps=True, metrics=["seconds", "elapsed_seconds"]
    )
    (section,) = steps.sections(Results(replace(priced(a=1.0, b=1.0), comparisons=[comparison]), records))
    assert section.title == "Gains: time"
    assert section.text == "npb:ft.A (measured, undecided): −5.0 % time over 1 steps."
    assert section.figures[0].table.title.endswith("(measured, undecided)")


def test_workloads_that_none_of_the_compared_environments_has_are_no_rows():
    records = noisy("a", [1.0, 1.1]) + noisy("b", [1.0, 1.2]) + noisy("c", [1.0, 1.1], "npb:ft.B")
    comparison = StudyComparison(baseline="a", environments=["b"])
    (section,) = times.sections(
        Results(replace(priced(a=1.0, b=1.0, c=1.0), comparisons=[comparison]), records)
    )
    assert [row[0].text for row in section.tables[0].rows] == ["npb:ft.A"]
