"""Edits of ELF files that change no size and no address (System V ABI, chapters 4 and 5)."""

import struct
from collections.abc import Container

from linkworth.mpi import elf

_SECTION_AND_VALUE = struct.Struct("<HQ")
_WEAK = 2


def hide(data: bytearray, names: Container[str]) -> None:
    """Make symbols that a 64-bit little-endian library exports undefined and weak, as if it had never defined them.

    Raises ElfError for another or a damaged file.
    """
    if data[:6] != b"\x7fELF\x02\x01":
        raise elf.ElfError("not a 64-bit little-endian ELF file")
    with elf.damage_in("the library"):
        for symbol in elf.ElfFile(data).defined(elf.SHT_DYNSYM):
            if symbol.name in names:
                data[symbol.at + 4] = _WEAK << 4 | symbol.information & 15
                _SECTION_AND_VALUE.pack_into(data, symbol.at + 6, 0, 0)


def replace_text(data: bytearray, placeholder: bytes, text: bytes) -> None:
    """Write a shorter text over one that a file contains once. Raises ElfError if it does not fit."""
    at = data.find(placeholder)
    if at < 0 or data.find(placeholder, at + 1) >= 0 or len(text) > len(placeholder):
        raise elf.ElfError("the file has no place for this text")
    data[at : at + len(placeholder)] = text.ljust(len(placeholder), b"\0")
