"""Errors that decoding a JSON or TOML document can raise. msgspec lets those of bad text and deep nesting pass."""

import re

import msgspec

JSON_ERRORS = (msgspec.DecodeError, UnicodeError, RecursionError)

_TYPES = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def in_words(error: Exception | str) -> str:
    """Return the error's text without the names of Python's types.

    Names of fields are in other quotes, since backquotes are for parameters of a call.
    """
    text = re.sub(r"[Oo]bject missing required field `([^`]*)`", r"'\1' is missing", str(error))
    text = re.sub(r"[Oo]bject contains unknown field `([^`]*)`", r"there is no key '\1'", text)
    text = re.sub(r"Expected `([^`]*)`", lambda found: f"expected {_kinds(found[1])}", text)
    text = re.sub(r"got `([^`]*)`", lambda found: f"got {_kinds(found[1])}", text)
    return text.replace("`", "'")


def _kinds(types: str) -> str:
    names = types.split(" | ")
    if len(names) > 1:
        names = [name for name in names if name != "null"]
    return " or ".join(_TYPES.get(name, f"a {name}") for name in names)
