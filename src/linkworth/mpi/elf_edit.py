"""Edits of ELF files that change no size and no address (System V ABI, chapters 4 and 5)."""

import struct
from collections.abc import Container

from linkworth.mpi.elf import ElfError

_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SHT_DYNSYM = 11
_WEAK = 2


def hide(data: bytearray, names: Container[str]) -> None:
    """Make symbols that a 64-bit little-endian library exports undefined and weak, as if it had never defined them.

    Raises ElfError for another or a damaged file.
    """
    try:
        if data[:6] != b"\x7fELF\x02\x01":
            raise ElfError("not a 64-bit little-endian ELF file")
        header = _HEADER.unpack_from(data)
        places, size, count = header[5], header[10], header[11]
        sections = [_SECTION.unpack_from(data, places + number * size) for number in range(count)]
        for section in sections:
            if section[1] != _SHT_DYNSYM:
                continue
            offset, length, strings = section[4], section[5], sections[section[6]][4]
            for at in range(offset, offset + length, _SYMBOL.size):
                name, information, other, _, _, symbol_size = _SYMBOL.unpack_from(data, at)
                start = strings + name
                if data[start : data.index(b"\0", start)].decode() in names:
                    _SYMBOL.pack_into(data, at, name, _WEAK << 4 | information & 15, other, 0, 0, symbol_size)
    except (struct.error, IndexError, ValueError) as error:
        raise ElfError(f"a damaged ELF file: {error}") from None


def replace_text(data: bytearray, placeholder: bytes, text: bytes) -> None:
    """Write a shorter text over one that a file contains once. Raises ElfError if it does not fit."""
    at = data.find(placeholder)
    if at < 0 or data.find(placeholder, at + 1) >= 0 or len(text) > len(placeholder):
        raise ElfError("the file has no place for this text")
    data[at : at + len(placeholder)] = text.ljust(len(placeholder), b"\0")
