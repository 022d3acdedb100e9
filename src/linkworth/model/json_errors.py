"""Errors that decoding a JSON document can raise. msgspec lets those of bad text and deep nesting pass."""

import msgspec

JSON_ERRORS = (msgspec.DecodeError, UnicodeError, RecursionError)


def in_words(error: Exception) -> str:
    """Return the error's text. Names of fields are in other quotes, since backquotes are for parameters of a call."""
    return str(error).replace("`", "'")
