"""Every number on the command line: what is no sensible number is refused, by every option of every verb."""

import pytest
import rich_click as click
from verbs import commands

from linkworth.cli.known_name import KnownName
from linkworth.cli.main import cli
from linkworth.cli.number import Number
from linkworth.model.number_range import NumberRange

SENSELESS = ("nan", "inf", "-1", "1e-320", "1e320")
TEMPLATES = {
    "FABRIC=SECONDS": ("gbe={}",),
    "[PROGRAM:]FABRIC=SECONDS": ("gbe={}",),
    "LEVEL=X": ("1={}",),
    "NAME=SHARE": ("latency={}",),
    "NAME=VALUES": tuple(
        f"{name}={values}"
        for name in ("latency", "bandwidth", "overhead", "rails", "cpu-factor", "background-load")
        for values in ("{}", "x{}", "{}..2:3", "1..{}:3")
    ),
    "FABRIC=USD_PER_NODE_HOUR": ("gbe={}",),
    "FABRIC=USD[,cores=N]": ("gbe={}", "gbe=1,cores={}"),
    "FABRIC=USD,...": (
        "gbe={},years=5,utilisation=0.7",
        "gbe=1,years={},utilisation=0.7",
        "gbe=1,years=5,utilisation={}",
        *(
            f"gbe=1,years=5,utilisation=0.7,{field}={{}}"
            for field in ("yearly_usd", "power_watts", "idle_watts", "usd_per_kwh", "pue")
        ),
    ),
    "FROM:TO": ("{}:2", "1:{}"),
    "LIST": ("{}", "1,{}"),
    "K=FILE": ("{}=file.json",),
    "RATE": ("{}", "{}gbit"),
    "TIME": ("{}", "{}us"),
    "SHARE": ("{}", "{}%"),
}
"""By the metavar of an option of text: where numbers stand in it."""
NUMBERS = {"N", "K", "SIZE", "BYTES", "FACTOR", "P"}
"""Metavars of options of text that are a number as a whole."""
TEXTS = {
    "ACCOUNT", "CATALOG", "CIDR", "CLASS", "EXPR", "FABRIC", "FEATURES", "HOW", "NAME", "NAME=ALGORITHM",
    "NAME=FABRIC", "NAME=VALUE", "NIC", "NODE", "OPTION", "PLACE", "PRESET", "REGEX", "REGION", "TARGET", "TRACE[@HOW]", "URL",
}  # fmt: skip
"""Metavars of options of text without numbers."""
BATCH_TIME = "Time limit of the job as Slurm writes it"
"""Help of the one option of times that goes to a batch system as it is, which refuses what it does not know."""


def options():
    """Return all options of all verbs that take a value."""
    return [
        (path, command, parameter)
        for path, command in commands(cli)
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.is_flag and not parameter.count
    ]


def templates(option):
    """Return the values of an option with a place for a number, none for an option of text."""
    if isinstance(option.type, click.Path | click.Choice | KnownName):
        return ()
    if type(option.type) is not type(click.STRING):
        return ("{}",)
    metavar = option.metavar or ""
    if (option.help or "").startswith(BATCH_TIME) or metavar in TEXTS:
        return ()
    assert metavar in TEMPLATES or metavar in NUMBERS, (
        f"{option.opts}: {metavar!r} is in none of TEMPLATES, NUMBERS and TEXTS: does it take a number?"
    )
    return TEMPLATES.get(metavar, ("{}",))


def needed(command, given):
    """Return words for all that a command cannot do without."""
    words = []
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            if parameter.name == "fabric_names" or (parameter.required and parameter is not given):
                choices = getattr(parameter.type, "choices", ("gbe",))
                words += [parameter.opts[0], choices[0]]
            elif parameter.name == "samples" and given.name == "spread":
                words += [parameter.opts[0], "10"]
            elif parameter.name == "timeline" and given.name == "timeline_window":
                words += [parameter.opts[0], "timeline.json"]
            elif parameter.name == "assignments" and given.name == "measured":
                words += [parameter.opts[0], "gbe=1"]
        elif parameter.name not in ("words", "command") or parameter.required:
            words.append("missing.lwt")
    return words


CASES: dict[tuple[str, ...], list[tuple[click.Command, click.Option, str]]] = {}
for verb, its_command, its_option in options():
    for words in templates(its_option):
        CASES.setdefault(tuple(verb), []).append((its_command, its_option, words))


def test_all_fractions_are_of_one_type():
    assert CASES
    loose = [
        (path, option.opts)
        for path, _, option in options()
        if isinstance(option.type, click.FloatRange | type(click.FLOAT) | type(click.INT))
        and not isinstance(option.type, click.IntRange)
    ]
    assert not loose, "give these options a Number or an IntRange"


@pytest.mark.parametrize("path", CASES, ids=" ".join)
def test_a_senseless_number_is_refused_in_a_sentence_that_names_the_option(
    path, refused, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    for command, option, template in CASES[path]:
        for value in SENSELESS:
            word = template.format(value)
            sentence = refused(*path, option.opts[-1], word, *needed(command, option))
            assert any(name in sentence for name in option.opts), (option.opts, word, sentence)


GIGABYTES = Number(NumberRange(least=1e-6, most=1e6, zero=True), unit="GB/s")


@pytest.mark.parametrize(("text", "number"), [("4", 4.0), ("4GB/s", 4.0), ("4.5 gb/s", 4.5), ("0", 0.0)])
def test_the_unit_may_be_written(text, number):
    assert GIGABYTES.convert(text, None, None) == number


@pytest.mark.parametrize("text", ["4Gbit/s", "GB/s", "-1", "nan", ""])
def test_what_is_no_number_is_refused_with_the_range_and_the_unit(text):
    with pytest.raises(click.BadParameter, match=r"give 0, or a number from 1e-6 to 1e6 \(GB/s\)"):
        GIGABYTES.convert(text, None, None)


def test_a_range_has_its_ends_and_nothing_beyond():
    allowed = NumberRange(least=0.5, most=2)
    assert 0.5 in allowed and 2 in allowed
    assert not any(value in allowed for value in (0.0, 0.49, 2.01, float("nan"), float("inf"), -1.0))
    wide = NumberRange(least=0.5, most=2, zero=True, infinity=True)
    assert 0.0 in wide and float("inf") in wide
    assert -float("inf") not in wide and float("nan") not in wide
