"""Bytes of `run.json`: a run's record with its own checksum, so that no damaged figure is ever read."""

import re

import msgspec

from linkworth import _engine
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.model.study import RunRecord

_CHECKSUM = re.compile(rb'"checksum": "([0-9a-f]{8})"\n}\Z')
_NONE = b"0" * 8


class DamagedRecordError(ValueError):
    """A record that was changed after it was written."""


def encode(record: RunRecord) -> bytes:
    """Return a record as an indented JSON document whose last member is the CRC-32C of its bytes with eight zeros there."""
    blank = msgspec.structs.replace(record, checksum=_NONE.decode())
    content = msgspec.json.format(msgspec.json.encode(blank), indent=2)
    return _with_checksum(content, _crc(content))


def decode(content: bytes) -> RunRecord:
    """Return the record of a file. Raises DamagedRecordError for anything that was changed after it was written."""
    try:
        record = msgspec.json.decode(content, type=RunRecord)
    except JSON_ERRORS as error:
        raise DamagedRecordError(str(error)) from None
    if _CHECKSUM.search(content) is None:
        raise DamagedRecordError("its checksum is not where linkworth writes it")
    if record.checksum != _crc(_with_checksum(content, _NONE)).decode():
        raise DamagedRecordError("its checksum is wrong")
    return msgspec.structs.replace(record, checksum="")


def _crc(content: bytes) -> bytes:
    return f"{_engine.crc32c(content):08x}".encode()


def _with_checksum(content: bytes, digits: bytes) -> bytes:
    return _CHECKSUM.sub(b'"checksum": "' + digits + b'"\n}', content)
