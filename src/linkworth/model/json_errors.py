"""What decoding a JSON document can raise: msgspec passes the errors of its texts and of its depth on."""

import msgspec

JSON_ERRORS = (msgspec.DecodeError, UnicodeError, RecursionError)
