"""Property tests: every value of a TOML text is found on the line on which it was written."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.study.definition.lines import line_of, lines_of, value_at

TEXT = (
    """# a comment with [brackets] and = signs
title = "one # two" # [x]
"quoted key" = 'it"""
    + """'
dotted.inner = 1
long = \"\"\"
several
lines ""\"\"\"

[[entries]]
name = "a"
list = [
  1, # first
  { x = 1, y = [2, 3] },
]

[[entries]]
name = "b"
[entries.below]
deep = 1979-05-27 07:32:00
[table."with.dot"]
last = true
"""
)


def test_a_text_with_everything():
    lines = lines_of(TEXT)
    expected = {
        ("title",): 2, ("quoted key",): 3, ("dotted", "inner"): 4, ("dotted",): 4, ("long",): 5,
        ("entries",): 9, ("entries", 0): 9, ("entries", 0, "name"): 10, ("entries", 0, "list"): 11,
        ("entries", 0, "list", 0): 12, ("entries", 0, "list", 1): 13, ("entries", 0, "list", 1, "x"): 13,
        ("entries", 0, "list", 1, "y", 1): 13, ("entries", 1): 16, ("entries", 1, "name"): 17,
        ("entries", 1, "below"): 18, ("entries", 1, "below", "deep"): 19, ("table", "with.dot"): 20,
        ("table", "with.dot", "last"): 21,
    }  # fmt: skip
    assert {place: lines[place] for place in expected} == expected


def test_what_is_not_there_has_the_line_of_what_is_around_it():
    lines = lines_of(TEXT)
    assert line_of(lines, ("entries", 1, "absent", "deeper")) == 16
    assert line_of(lines, ("absent",)) is None


KEYS = st.text(st.sampled_from("ab_-1"), min_size=1, max_size=4) | st.text(
    st.sampled_from("a .#=[]\"'é"), min_size=1, max_size=4
)
STRINGS = st.text(st.sampled_from("ab \"'#=[]{},\n\\"), max_size=8)
SCALARS = STRINGS | st.integers(-9, 9) | st.booleans() | st.floats(0, 9)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(
    KEYS, VALUES | st.lists(st.dictionaries(KEYS, VALUES, max_size=3), min_size=1, max_size=3), max_size=4
)


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class Writer:
    """Writes TOML and notes the line of each value as it goes."""

    def __init__(self, draw):
        self.draw = draw
        self.text = ""
        self.lines = {}

    def line(self):
        return self.text.count("\n") + 1

    def string(self, value):
        forms = [quoted(value)]
        if "'" not in value and "\n" not in value:
            forms.append(f"'{value}'")
        if "'" not in value:
            forms.append(f"'''\n{value}'''")
        forms.append('"""' + value.replace("\\", "\\\\").replace('"', '\\"') + '"""')
        return self.draw(st.sampled_from(forms))

    def value(self, value, place, *, inline=False):
        if isinstance(value, dict):
            self.text += "{"
            for index, (key, inner) in enumerate(value.items()):
                self.text += ", " if index else " "
                self.lines[(*place, key)] = self.line()
                self.text += f"{quoted(key)} = "
                self.value(inner, (*place, key), inline=True)
            self.text += " }"
        elif isinstance(value, list):
            self.text += "["
            for index, inner in enumerate(value):
                self.text += self.draw(st.sampled_from(["", " # a, remark ]\n", "\n  "]))
                self.lines[(*place, index)] = self.line()
                self.value(inner, (*place, index), inline=True)
                self.text += ","
            self.text += "]"
        elif isinstance(value, str):
            self.text += quoted(value) if inline else self.string(value)
        else:
            self.text += str(value).lower() if isinstance(value, bool) else repr(value)

    def pairs(self, table, place):
        for key, value in table.items():
            self.text += self.draw(st.sampled_from(["", "# remark = [\n", "\n"]))
            self.lines[(*place, key)] = self.line()
            self.text += f"{quoted(key)} = "
            self.value(value, (*place, key))
            self.text += "\n"

    def document(self, document):
        tables = {
            k: v
            for k, v in document.items()
            if isinstance(v, list) and v and all(isinstance(e, dict) for e in v)
        }
        self.pairs({k: v for k, v in document.items() if k not in tables}, ())
        for key, entries in tables.items():
            for index, entry in enumerate(entries):
                self.lines[(key, index)] = self.line()
                self.text += f"[[{quoted(key)}]]\n"
                self.pairs(entry, (key, index))


@given(DOCUMENTS, st.data())
def test_every_value_is_found_on_its_line(document, data):
    writer = Writer(data.draw)
    writer.document(document)
    parsed = tomllib.loads(writer.text)
    found = lines_of(writer.text)
    for place, line in writer.lines.items():
        value_at(parsed, place)
        assert found[place] == line, (place, writer.text)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing", "a=1", "[t]", "a = '''x'''''", 'a = """"x"""""'])
def test_small_texts(text):
    keys = tomllib.loads(text).keys()
    assert {place[0] for place in lines_of(text)} == set(keys)
