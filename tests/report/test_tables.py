"""Rows of the report's tables."""

from msgspec.structs import replace
from report import samples

from linkworth.model.profile import CallTotals, CallWaits, Phase, Phases, SiteProfile, Waited, Waits
from linkworth.report import tables, write
from linkworth.report.charts import ranks


def test_efficiencies_that_are_not_known_are_said_and_why():
    item = samples.without_replays()
    shown = {row[0].value: row[1] for row in tables.efficiencies(item.profile.pop, "p0").rows}
    assert (shown["serialisation"].text, shown["transfer"].text) == ("not known", "not known")
    assert (shown["load balance"].text, shown["load balance"].mark) == ("95 %", "good")
    assert (shown["parallel"].text, shown["parallel"].mark) == ("52 %", "bad")
    assert "serialisation is not known, because a replay stops" in tables.warnings(item)
    assert not any("replay stops" in sentence for sentence in tables.warnings(samples.item()))


def test_a_program_that_waited_for_cores_which_others_used_has_a_warning():
    item = samples.item()
    waited = replace(item.profile, oversubscribed=False, descheduled_seconds=1e3)
    (sentence,) = set(tables.warnings(replace(item, profile=waited))) - set(tables.warnings(item))
    assert sentence.startswith("the ranks waited 1000 s for a core or a device between calls")
    assert sentence.endswith("such waits inside calls count as communication")
    part = replace(item.profile, sampled_share=0.25)
    assert any(
        "come from a replay of the first 25.0 % of the events" in sentence
        for sentence in tables.warnings(replace(item, profile=part))
    )
    crowded = replace(waited, oversubscribed=True, idle_beyond_sharing=True)
    assert tables.warnings(replace(item, profile=crowded)) == tables.warnings(item)


def test_the_page_of_such_a_program_has_its_other_figures_and_sources_without_markup(tmp_path, undrawn):
    item = samples.without_replays()
    fabric = item.fabrics[0]
    note = replace(fabric.sources[0], source="<img src=x> at https://example.org/a?b=1&c=2")
    item = replace(item, fabrics=[replace(fabric, sources=[note, note])])
    assert tables.sources([item, item])[0] == (fabric.name, f"{note.source} ({note.date})")
    assert sum(name == fabric.name for name, _ in tables.sources([item, item])) == 1
    write([item], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert '<a href="https://example.org/a?b=1&amp;c=2"' in page
    assert "group by its trend: not known" in page
    assert "<b>Why not known:</b> this trace lacks messages" in page
    assert "None" not in page.split("<section", 1)[1].split("<script", 1)[0]


def test_waits_sites_and_phases_are_on_the_page(tmp_path, undrawn):
    item = samples.item()
    count = item.profile.ranks
    late = CallWaits(name="MPI_Wait", late_sender=Waited(calls=2, seconds=0.4))
    place = SiteProfile(
        site="app+0x10", count=4, bytes=32, seconds=0.5, function="solve(int)", file="/s/a.c", line=7
    )
    inner = Phase(kind="loop", start_seconds=0, seconds=1, calls=10, iterations=5, mean_seconds=0.2)
    outer = replace(inner, seconds=2.0, iterations=2, call_names=["MPI_Send"], inner=[inner])
    profile = replace(
        item.profile,
        rates=None,
        calls=[CallTotals(name="MPI_Wait", count=4, bytes=32, seconds=0.5, sites=[place])],
        waits=Waits(
            late_sender=late.late_sender,
            share=0.2,
            calls=[late],
            rank_waiting_seconds=[0.4] + [0.0] * (count - 1),
            rank_caused_seconds=[0.0] * (count - 1) + [0.4],
        ),
        phases=Phases(rank=0, likeness="names", seconds=2.0, looped_share=1.0, phases=[outer]),
        rank_compute_seconds=[1.0] * count,
        rank_communication_seconds=[0.5] * count,
    )
    drawn = ranks.figure(replace(item, profile=profile), "p0")
    assert drawn is not None and f"Rank {count - 1} causes 100 % of the waiting" == drawn.table.title
    assert [cell.value for cell in drawn.table.rows[0]] == [0, 1.0, 0.5 - 0.4, 0.4, 0.0]
    write([replace(item, profile=profile)], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Ranks wait for each other 20 % of their recorded time" in page
    assert "a.c:7 solve" in page and "– loop" in page


def test_calls_that_took_no_time_are_shown_by_their_data():
    item = samples.item()
    timeless = tables.calls(replace(item.profile, timed=False), "p0")
    assert (timeless.title, len(timeless.columns)) == ("MPI calls, most data first", 3)
    assert len(tables.calls(item.profile, "p0").columns) == 4


def test_many_ranks_share_bars_and_none_are_drawn_of_a_program_that_was_not_run():
    item = samples.item()
    many = replace(
        item.profile,
        rates=None,
        ranks=1000,
        rank_compute_seconds=[1.0] * 1000,
        rank_communication_seconds=[1.0] * 1000,
    )
    drawn = ranks.figure(replace(item, profile=many), "p0")
    assert drawn is not None and len(drawn.table.rows) == 1000
    assert "mean of 16 ranks" in drawn.table.note
    alone = replace(many, ranks=1, rank_compute_seconds=[1.0], rank_communication_seconds=[0.0])
    assert ranks.figure(replace(item, profile=alone), "p0") is None


def test_a_price_of_a_core_is_shown_for_the_node_that_was_billed():
    """The price of a core without a node's cores is that of as many as the node has ranks."""
    item = samples.item()
    price = replace(item.prices[0], usd_per_node_hour=0.02, usd_per_core_hour=0.02)
    option = replace(item.advice.options[0], price_usd_per_node_hour=0.16)
    advice = replace(item.advice, options=[option])
    (row,) = tables.prices([replace(item, advice=advice, prices=[price])]).rows
    assert (row[0].text, row[1].text) == (option.fabric, "0.1600")
