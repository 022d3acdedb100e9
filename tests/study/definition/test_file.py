from pathlib import Path

import jsonschema
import pytest

from linkworth.errors import UsageError
from linkworth.study.definition import schema
from linkworth.study.definition.file import load
from linkworth.study.store import Store

SMALLEST = """\
title = "Which network?"
workloads = ["npb:${program}.${class}"]
environments = ["gbe", "ib-fdr"]
mode = "predict"
ranks = 8
nodes = 2

[variables]
program = ["ft", "is"]
class = ["S", "W"]
"""

LARGE = """\
repetitions = 10
warm_ups = 1
where = "lab"
ranks = 16
nodes = 4

[variables]
nics = [1, 2, 4]
isolation = ["namespace", "nspawn"]
class = "C"

[[workloads]]
run = "npb:*.${class}"

[[workloads]]
run = "bench:latency"
ranks = 2
environments = ["*-1"]

[[environments]]
name = "${isolation}-${nics}"
fabric = "gbe"
nics = "${nics}"
isolation = "${isolation}"

[[comparisons]]
baseline = "namespace-${nics}"
environments = ["nspawn-${nics}"]

[scale.lab]
repetitions = 3
variables.class = "S"
environments."${isolation}-${nics}".fabric = "10gbe"

[scale.predict]
mode = "predict"
variables.class = ["D", "E"]
without_workloads = ["bench:*"]
"""


@pytest.fixture
def study(tmp_path):
    def write(text, **options):
        path = tmp_path / "study.toml"
        path.write_text(text)
        return load(path, **options)

    return write


def names(entries):
    return [entry.name for entry in entries]


def test_lists_multiply_and_variables_keep_their_type(study):
    found = study(SMALLEST)
    assert found.name == "study"
    assert names(found.workloads) == ["npb:ft.S", "npb:ft.W", "npb:is.S", "npb:is.W"]
    assert found.workloads[1].variables == {"program": "ft", "class": "W"}
    assert names(found.environments) == ["gbe", "ib-fdr"]
    assert all(environment.modes == ["predict"] for environment in found.environments)
    assert (found.ranks, found.nodes, found.repetitions) == (8, 2, 1)
    found = study(LARGE)
    assert names(found.workloads)[:2] == ["npb:is.C", "npb:ep.C"] and len(found.workloads) == 9
    assert [environment.nics for environment in found.environments] == [1, 2, 4, 1, 2, 4]
    assert {environment.where.kind for environment in found.environments} == {"lab"}
    assert found.comparisons[2].environments == ["nspawn-4"]


def test_scales_and_places_lay_themselves_over_the_study(study):
    lab = study(LARGE, scale="lab")
    assert lab.repetitions == 3 and lab.workloads[0].name == "npb:is.S"
    assert lab.environments[0].where.name == "10gbe"
    predicted = study(LARGE, scale="predict")
    assert len(predicted.workloads) == 16 and predicted.repetitions == 10
    assert all(environment.modes == ["predict"] for environment in predicted.environments)
    text = LARGE.replace('isolation = "${isolation}"', 'where = "local"')
    assert {e.where.kind for e in study(text).environments} == {"local"}
    found = study(text, where="slurm:fast")
    assert {(e.where.kind, e.where.name) for e in found.environments} == {("slurm", "fast")}


def test_two_dollars_are_one(study):
    found = study(
        SMALLEST.replace('"npb:${program}.${class}"', "\"sh -c 'echo $${HOME} ${class} ${program}'\"")
    )
    assert found.workloads[0].command == ["sh", "-c", "echo ${HOME} S ft"]


def test_the_folder_of_the_study_file_is_a_variable(tmp_path, monkeypatch):
    folder = tmp_path / "two words"
    folder.mkdir()
    file = folder / "study.toml"
    file.write_text(
        'workloads = [{ run = "true ${study_folder}/in.txt ${x}", name = "text" }, '
        '{ run = ["true", "-i=${study_folder}"], name = "list" }]\n'
        'environments = [{ name = "here" }]\n[variables]\nx = 1\n'
    )
    monkeypatch.chdir(folder)
    for path in (file, Path("study.toml")):
        text, listed = load(path).workloads
        assert text.command == ["true", f"{folder}/in.txt", "1"]
        assert listed.command == ["true", f"-i={folder}"]
        assert text.variables == {"x": 1}
    copied = tmp_path / "copy.toml"
    copied.write_bytes(file.read_bytes())
    assert load(copied, folder=folder).workloads == load(file).workloads


def test_a_begun_study_keeps_the_folder_of_its_file(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(
        'workloads = [{ run = "true ${study_folder}", name = "x" }]\nenvironments = [{ name = "here" }]\n'
    )
    store = Store.create(tmp_path / "elsewhere" / "s.study", file)
    assert Store(store.folder).study.workloads[0].command == ["true", str(tmp_path)]


def test_stand_ins_and_both_modes(study):
    table = '[[workloads]]\nrun = "no-such-program-here -x"\notherwise = "stencil:default"\n'
    text = SMALLEST.replace('workloads = ["npb:${program}.${class}"]\n', "").split("[variables]")[0] + table
    assert study(text).workloads[0].command == ["stencil:default"]
    priced = '{ fabric = "gbe", instance = "A8", usd_per_node_hour = 1 }'
    found = study(SMALLEST.replace('"predict"', '"both"').replace('"gbe"', priced))
    assert found.environments[0].modes == ["measure", "predict"]


LAST = 'class = ["S", "W"]\n'
ERRORS = [
    ('mode = "predict"', 'mode = "guess"', "study.toml:4: mode: 'guess' is no mode; write measure, predict or both"),
    ("ranks = 8", "ranks = 0", "study.toml:5: ranks: expected a whole number >= 1"),
    ("ranks = 8", 'ranks = "many"', "study.toml:5: ranks: 'many' is no number"),
    ("ranks = 8", "rank = 8", "study.toml:5: rank: there is no such key; did you mean ranks"),
    ('"gbe"', '{ fabric = "gbe", binding = "hwthread" }',
     "study.toml:3: environments[0].binding: 'hwthread' is no binding; write core, socket, numa, none"),
    ('"gbe"', '{ fabric = "gbe", mode = "measure", where = "lab", binding = "core" }',
     "study.toml:3: environments[0].binding: gbe is in a lab, whose nodes share the cores"),
    ("nodes = 2", "nodes = ", "study.toml:6: this is not TOML"),
    ('"gbe"', '"gbee"', "study.toml:3: environments[0].fabric: no fabric is called 'gbee'; did you mean gbe"),
    ('"gbe"', "3", "study.toml:3: environments[0]: expected"),
    ("npb:${program}", "npb:${programm}", "study.toml:2: workloads[0]: there is no variable 'programm'; did you mean program?"),
    ("npb:${program}", "${study_folde}", "study.toml:2: workloads[0]: there is no variable 'study_folde'; did you mean study_f"),
    ("[variables]", '[variables]\nstudy_folder = "x"', "study.toml:9: variables.study_folder: every study has ${study_folder}"),
    ("npb:${program}", "npb:ft", "study.toml:9: variables.program: nothing uses it"),
    ("npb:${program}", "npb:x${program}", "study.toml:2: workloads[0].run: npb:xft.S: a NAS Parallel Benchmark"),
    ('["S", "W"]', "[]", "study.toml:10: variables.class: the list is empty"),
    ('["S", "W"]', '["S", "S"]', "study.toml:2: workloads: 2 of them are called 'npb:ft.S'"),
    ('["S", "W"]', "[1.5, {a = 1}]", "study.toml:10: variables.class"),
    ('title = "Which network?"', 'repetitions = "${class}"', "study.toml:1: repetitions"),
    ("[variables]", '[[comparisons]]\nbaseline = "x"\n[variables]', "study.toml:9: comparisons[0].baseline: no environment"),
    ("[variables]", '[[comparisons]]\nbaseline = "gbe"\nmetrics = ["second"]\n[variables]',
     "study.toml:10: comparisons[0].metrics: no metric is called 'second'; did you mean seconds"),
    ('["npb:${program}.${class}"]', '["npb:${program}.${class}", "bench:latency --window 3"]',
     "bench:latency: --window is for bandwidth, bibandwidth, multipair, not for latency"),
    ('["npb:${program}.${class}"]', '["npb:${program}.${class}", "bench:barrier --sizes 8"]', "bench:barrier: --sizes is for"),
    ('["npb:${program}.${class}"]', '["npb:${program}.${class}", "bench:latency --pairs"]', "`pairs` is an option of pingpong"),
    ("[variables]", "[scale.lab]\nrepetitions = -1\n[variables]", "study.toml:9: scale.lab.repetitions: expected"),
    ("[variables]", '[scale.lab]\nwhere = "moon"\n[variables]', "study.toml:9: where: 'moon' is no place"),
    ("[variables]", "[scale.lab.environments.x]\nmtu = 9\n[variables]", "study.toml:8: scale.lab.environments.x: the study"),
    ("[variables]", "[scale.lab.environments.gbe]\nmtu = 0\n[variables]", "study.toml:9: scale.lab.environments.gbe.mtu"),
    ("[variables]", '[scale.lab]\nwithout_workloads = ["*"]\n[variables]', "study.toml:8: scale.lab: it leaves no workload"),
    ('["npb:${program}.${class}"]', '[{ run = "${program}${class}", figures = { a = "(" } }]', "toml:2: workloads[0].figures.a"),
    ('["npb:${program}.${class}"]', '["bench:${program}${class}"]', "study.toml:2: workloads[0].run: there is no test ftS"),
    ("[variables]", '[prices]\ncatalog = "x"\n[variables]', "study.toml:9: prices.catalog: no price catalog"),
    ('["npb:${program}.${class}"]', '["true ${program}${class}"]\npredict.machine = "laptop"', "for bundled programs"),
    ("[variables]", '[prices]\ncatalog = "azure"\nregion = "eastu"\n[variables]', "azure has no 'eastu'; did you mean eastus"),
    ("[variables]", '[prices]\nregion = "eastus"\n[variables]', "prices.region: a region chooses from a catalog"),
    ("[variables]", '[predict]\nmeasured_on = "gbe"\n[variables]', "study.toml:9: predict.measured_on: gbe is only predicted"),
    ("[variables]", '[predict]\nmeasured = {x = "gbe"}\n[variables]', "study.toml:9: predict.measured.x: measured 'gbe'"),
    ('"gbe"', '{ fabric = "gbe", rate = "fast" }', "study.toml:3: environments[0].rate: "),
    ('"gbe"', '{ fabric = "gbe", latency = "3 parsecs" }', "study.toml:3: environments[0].latency: "),
    ('"gbe"', '{ fabric = "gbe", mpi_settings = { btl_tcp_flag = "send" } }',
     "study.toml:3: environments[0].mpi_settings.btl_tcp_flag: `mpi_setting` btl_tcp_flag: the replay knows no such setting"),
    ('"gbe"', '{ fabric = "gbe", mpi_settings = { btl_tcp_flags = "on" } }', "btl_tcp_flags=on: give send or 1"),
    ('"gbe"', '{ fabric = "gbe", isolation = "glass" }', "study.toml:3: environments[0].isolation: "),
    ('"gbe"', '{ fabric = "gbe", instance = "A8" }', "study.toml:3: environments[0].instance: no catalog has its price"),
    (LAST, f"{LAST}[scale.a]\nwithout_workloads = ['ft.*']\n",
     "study.toml:12: scale.a.without_workloads[0]: no workload is called"),
    (LAST, f"{LAST}[scale.a]\nwithout_environments = ['gbe', 'ib']\n", "without_environments[1]: no environment is called 'ib'"),
    (LAST, f"{LAST}[predict]\nmeasured = {{ 'npb:ft.B' = 'gbe=2' }}\n",
     "study.toml:12: predict.measured.npb:ft.B: no workload is called 'npb:ft.B'"),
    (LAST, f"{LAST}[scale.a]\npredict.measured = {{ 'npb:ft.B' = 'gbe=2' }}\n", "toml:12: scale.a.predict.measured.npb:ft.B:"),
    (LAST, f'{LAST}a = "${{b}}"\nb = "${{a}}"\n', "study.toml:11: variables.a: its value is a cycle: ${a} -> ${b} -> ${a}"),
    (LAST, f'{LAST}a = ["x", "${{a}}"]\n', "study.toml:11: variables.a: its value is a cycle: ${a} -> ${a}"),
    (LAST, f'{LAST}a = "npb-${{class}}"\n', "variables.a: its value names ${class}, and a variable cannot hold another"),
    (LAST, f'{LAST}a = "${{study_folder}}/x"\n', "study.toml:11: variables.a: its value names ${study_folder}"),
    ('["npb:${program}.${class}"]', '["npb:${program}.${class}", { run = "bench:latency", figures = { a = "(x)" } }]',
     "study.toml:2: workloads[1].run: bench:latency has no output to search"),
    ('["npb:${program}.${class}"]', '["npb:${program}.${class}", { run = "bench:latency", iteration_pattern = "(x)" }]',
     "study.toml:2: workloads[1].run: bench:latency has no output to search"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "sentence"), ERRORS, ids=[new for _, new, _ in ERRORS])
def test_errors_name_file_line_key_and_what_to_do(study, old, new, sentence):
    assert old in SMALLEST
    with pytest.raises(UsageError) as raised:
        study(SMALLEST.replace(old, new, 1))
    assert sentence in str(raised.value)


def test_an_unknown_scale_and_a_missing_file(study, tmp_path):
    with pytest.raises(UsageError, match=r"has no scale 'lap'; did you mean lab\?"):
        study(LARGE, scale="lap")
    with pytest.raises(UsageError, match="no such file"):
        load(tmp_path / "absent.toml")


def test_a_catalog_of_prices_is_a_file_beside_the_study(study, tmp_path):
    (tmp_path / "own.toml").write_text('title = "T"\nprices = []\n')
    found = study(SMALLEST.replace("[variables]", '[prices]\ncatalog = "own.toml"\n[variables]'))
    assert found.prices.catalog == str(tmp_path / "own.toml")


def test_the_published_schema_is_that_of_the_code():
    published = Path(__file__).parents[3] / "docs" / "reference" / "study.schema.json"
    assert published.read_text() == schema.text(), "renew it: make reference"


@pytest.mark.parametrize("text", [SMALLEST, LARGE])
def test_the_schema_takes_what_the_code_takes(text):
    import tomllib

    validator = jsonschema.Draft202012Validator(schema.schema())
    validator.check_schema(schema.schema())
    document = tomllib.loads(text)
    validator.validate(document)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**document, "ranks": "many"})
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**document, "misspelt": 1})


def test_a_variable_may_hold_what_is_no_variable(study):
    text = SMALLEST.replace("npb:${program}.${class}", "echo ${program} ${class}")
    found = study(text.replace('["ft", "is"]', '["ft", "${HOME}"]'))
    assert names(found.workloads)[-1] == "echo ${HOME} W"
