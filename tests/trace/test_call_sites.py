"""Call sites of stripped files, and damaged ones."""

import pytest
from run_program import output_of

from linkworth.trace import call_sites


@pytest.mark.requires("c++")
def test_no_public_function_stands_for_a_later_hidden_one(tmp_path):
    """addr2line names the nearest before, as it does in most installed programs."""
    source, library = tmp_path / "source.c", tmp_path / "library.so"
    source.write_text(
        "int before(int a) { return 3 * a; }\n"
        "static __attribute__((noinline)) int hidden(int a) { return a / 3; }\n"
        "int (*const table[])(int) = {hidden};\n"
    )
    options = ["-xc", "-O0", "-shared", "-fPIC", "-o", library]
    output_of(["c++", *options, source])
    names = output_of(["nm", library])
    at = {
        name: int(value, 16)
        for value, _, name in (line.split() for line in names.splitlines() if line[0] != " ")
    }
    output_of(["strip", library])
    inside = f"{library}+{at['before'] + 4:#x}"
    assert at["hidden"] > at["before"]
    places = call_sites.resolve([inside, f"{library}+{at['hidden'] + 4:#x}"])
    assert {site: place.function for site, place in places.items()} == {inside: "before"}


def test_a_module_that_cannot_be_a_name_is_unknown():
    assert call_sites.resolve([f"/{'a' * 5000}+0x10", "/a\0b+0x10"]) == {}
