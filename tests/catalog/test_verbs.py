"""`linkworth fabrics | machines | prices | apps` as a user calls them."""

import json

import jsonschema
import pytest

from linkworth.catalog import fabrics


@pytest.mark.parametrize(
    ("arguments", "schema", "key"),
    [
        (["fabrics"], "linkworth.fabrics/1", "fabrics"),
        (["machines"], "linkworth.machines/1", "machines"),
        (["prices"], "linkworth.prices/1", "catalogs"),
        (["apps"], "linkworth.apps/1", "apps"),
        (["fabrics", "show", "gbe"], "linkworth.fabric/1", "fabric"),
        (["machines", "show", "laptop"], "linkworth.machine/1", "machine"),
        (["prices", "show", "aws"], "linkworth.price-catalog/1", "catalog"),
        (["apps", "show", "npb:cg"], "linkworth.app/1", "app"),
    ],
)
def test_json_is_one_document_with_its_schema(called, arguments, schema, key):
    code, out, err = called(*arguments, "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert document["schema"] == schema
    assert document[key]
    if len(arguments) == 1:
        assert called(*arguments, "list", "--json")[1] == out


def test_fabrics_are_listed_with_figures_and_have_a_json_schema(called):
    document = json.loads(called("fabrics", "--json")[1])
    assert [fabric["name"] for fabric in document["fabrics"]] == fabrics.names()
    by_name = {fabric["name"]: fabric["figures"] for fabric in document["fabrics"]}
    assert by_name["ideal"]["bandwidth_bytes_per_second"] is None
    assert by_name["gbe"]["half_round_trip_seconds"] == pytest.approx(24.6e-6, rel=0.01)
    code, out, _ = called("fabrics", "schema")
    assert code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(out))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fabrics", "show", "ib-fddr"], "did you mean ib-fdr"),
        (["fabrics", "show", "none.toml"], "none.toml: no such file"),
        (["machines", "show", "lap"], "did you mean laptop"),
        (["prices", "show", "dem"], "did you mean demo"),
        (["apps", "show", "npb:tf"], "no program is called 'npb:tf'; did you mean npb:ft"),
        (["fabrics", "shaw"], "shaw"),
    ],
)
def test_a_wrong_name_is_one_sentence_and_exit_code_2(refused, arguments, message):
    assert message in refused(*arguments)


@pytest.mark.parametrize("group", ["fabrics", "machines", "prices"])
def test_json_before_the_verb_of_a_group_is_not_ignored(refused, group):
    assert f"--json: give it after `{group} list`" in refused(group, "--json", "list")
