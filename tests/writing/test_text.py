"""Names from outside become text that terminals, JSON documents and spreadsheets take."""

import csv
import io
import os

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.writing.documents import encode
from linkworth.writing.text import csv_cell, encodable, printable, sentence

ANY_TEXT = st.text(st.characters(codec=None, categories=None))


class Named(msgspec.Struct):
    name: str
    words: dict[str, list[str]]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("npb:ft.W, 16 ranks\n\tµs – ü", "npb:ft.W, 16 ranks\n\tµs – ü"),
        ("a\x1b]0;title\x07b", "a\\x1b]0;title\\x07b"),
        ("two\rone\x7f\x9b2J", "two\\x0done\\x7f\\x9b2J"),
        ("good\u202ecod.exe", "good\\u202ecod.exe"),
        (os.fsdecode(b"prog\xff"), "prog\\xff"),
        ("half \ud83d", "half \\ud83d"),
    ],
)
def test_what_a_terminal_prints(text, printed):
    assert printable(text) == printed


def test_a_quoted_name_in_a_sentence_has_the_same_escape():
    name = os.fsdecode(b"x\xff\xfe\x1b")
    assert (
        sentence(f"there is no verb {name!r} or {name}")
        == r"there is no verb 'x\xff\xfe\x1b' or x\xff\xfe\x1b"
    )
    backslash = "\\udcff"
    assert sentence(repr(backslash)) == repr(backslash)


@given(ANY_TEXT)
def test_what_is_printed_can_be_encoded_and_orders_nothing(text):
    shown = printable(text)
    assert shown.encode().decode() == shown
    assert all(
        character.isprintable() or not character.isascii() or character in "\n\t" for character in shown
    )
    assert not set(shown) & {chr(number) for number in (*range(9), *range(11, 32), *range(127, 160))}


@given(ANY_TEXT)
def test_a_document_is_valid_json_whatever_a_name_is(text):
    document = encode(Named(name=text, words={text: [text, "plain"]}))
    kept = encodable(text)
    assert msgspec.json.decode(document) == {"name": kept, "words": {kept: [kept, "plain"]}}


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_formula_becomes_text(text):
    cell = csv_cell(text)
    assert isinstance(cell, str) and cell.startswith("'")


@pytest.mark.parametrize("value", [-1e-6, 0.1, -3, "-12.5e-3", "+1", "-inf", "gbe", "a-b", "", None])
def test_numbers_and_plain_names_stay(value):
    assert csv_cell(value) == value


@given(st.floats(allow_nan=False))
def test_a_number_is_written_exactly(value):
    text = io.StringIO()
    csv.writer(text).writerow([csv_cell(value)])
    assert float(text.getvalue()) == value
