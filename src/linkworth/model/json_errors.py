"""Errors that decoding a JSON document can raise. msgspec lets those of bad text and deep nesting pass."""

import msgspec

JSON_ERRORS = (msgspec.DecodeError, UnicodeError, RecursionError)
