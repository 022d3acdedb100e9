"""Reader of ELF files (System V ABI, chapters 4 and 5): libraries, loader, symbols.

It is our own, since binutils are often absent where programs run.
"""

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PT_DYNAMIC, _PT_INTERP, _PT_LOAD = 2, 3, 1
_DT_NEEDED, _DT_STRTAB, _DT_SONAME = 1, 5, 14
_SHT_SYMTAB, _SHT_DYNSYM = 2, 11
_FUNCTIONS = (2, 10)  # types of symbols: STT_FUNC, STT_GNU_IFUNC
_LARGEST_TABLE = 1 << 20


class ElfError(ValueError):
    """The file is not an ELF file, or is damaged."""


class ElfInfo(NamedTuple):
    """Dynamic section of a program or library."""

    needed: list[str]
    soname: str
    interpreter: str
    """Path of the dynamic loader. "" for libraries and static programs."""


class _Symbol(NamedTuple):
    """Symbol that a file defines."""

    name: str
    information: int
    """Binding, times 16, and type."""
    value: int
    size: int


class _Layout(NamedTuple):
    """Formats of the structures for one class (32 or 64 bits) and byte order."""

    header: struct.Struct
    program: struct.Struct
    section: struct.Struct
    dynamic: struct.Struct
    symbol: struct.Struct
    wide: bool


def _layout(start: bytes) -> _Layout:
    if start[:4] != b"\x7fELF" or len(start) < 16 or start[4] not in (1, 2) or start[5] not in (1, 2):
        raise ElfError("not an ELF file")
    order = "<" if start[5] == 1 else ">"
    wide = start[4] == 2
    formats = (
        ("16xHHIQQQIHHHHHH", "IIQQQQQQ", "IIQQQQIIQQ", "qQ", "IBBHQQ")
        if wide
        else ("16xHHIIIIIHHHHHH", "IIIIIIII", "IIIIIIIIII", "iI", "IIIBBH")
    )
    header, program, section, dynamic, symbol = (struct.Struct(order + text) for text in formats)
    return _Layout(header, program, section, dynamic, symbol, wide)


class _File:
    """A mapped ELF file with its program and section headers."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self.data = data
        self.layout = _layout(data[:16])
        fields = self.layout.header.unpack_from(data)
        program_offset, section_offset = fields[4], fields[5]
        program_size, programs, section_size, sections = fields[8:12]
        self.programs = [
            self.layout.program.unpack_from(data, program_offset + i * program_size) for i in range(programs)
        ]
        self.sections = [
            self.layout.section.unpack_from(data, section_offset + i * section_size) for i in range(sections)
        ]

    def segments(self, kind: int) -> list[tuple[int, int, int]]:
        """Return (file offset, virtual address, bytes in the file) of the segments of a kind."""
        if self.layout.wide:
            return [(p[2], p[3], p[5]) for p in self.programs if p[0] == kind]
        return [(p[1], p[2], p[4]) for p in self.programs if p[0] == kind]

    def offset_of(self, address: int) -> int:
        """Return the file offset of a virtual address."""
        for offset, start, size in self.segments(_PT_LOAD):
            if start <= address < start + size:
                return offset + address - start
        raise ElfError("an address lies outside the file")

    def text(self, offset: int) -> str:
        """Return the NUL-terminated text at an offset."""
        end = self.data.find(b"\0", offset)
        if end < 0:
            raise ElfError("a name is not terminated")
        return self.data[offset:end].decode(errors="replace")


def is_elf(path: Path) -> bool:
    """Return whether a file starts like an ELF file. False for one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _open(path: Path) -> _File:
    try:
        with path.open("rb") as file:
            return _File(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (struct.error, ValueError) as error:
        raise ElfError(f"{path} is not a usable ELF file: {error}") from None


def info(path: Path) -> ElfInfo:
    """Read the dynamic section. Raises ElfError for another kind of file, OSError if it cannot be read."""
    file = _open(path)
    try:
        interpreter = next((file.text(offset) for offset, _, _ in file.segments(_PT_INTERP)), "")
        entries: list[tuple[int, int]] = []
        for offset, _, size in file.segments(_PT_DYNAMIC):
            for at in range(offset, offset + size, file.layout.dynamic.size):
                tag, value = file.layout.dynamic.unpack_from(file.data, at)
                if tag == 0:
                    break
                entries.append((tag, value))
        tables = [value for tag, value in entries if tag == _DT_STRTAB]
        if not tables:
            return ElfInfo([], "", interpreter)
        table = file.offset_of(tables[0])
        needed = [file.text(table + value) for tag, value in entries if tag == _DT_NEEDED]
        soname = next((file.text(table + value) for tag, value in entries if tag == _DT_SONAME), "")
    except struct.error as error:
        raise ElfError(f"{path} is a damaged ELF file: {error}") from None
    return ElfInfo(needed, soname, interpreter)


def exported_symbols(path: Path) -> set[str]:
    """Return the names that a shared library defines for others. Raises ElfError, OSError."""
    return {symbol.name for symbol in _defined(path, (_SHT_DYNSYM,)) if symbol.information >> 4 in (1, 2)}


def functions(path: Path) -> list[tuple[int, int]]:
    """Return the addresses at which named functions begin and end. Raises ElfError, OSError."""
    found = _defined(path, (_SHT_SYMTAB, _SHT_DYNSYM))
    return sorted(
        {(each.value, each.value + each.size) for each in found if each.information & 15 in _FUNCTIONS}
    )


def _defined(path: Path, kinds: tuple[int, ...]) -> Iterator[_Symbol]:
    """Yield the symbols that a file defines in its tables of these kinds."""
    file = _open(path)
    try:
        for section in file.sections:
            if section[1] not in kinds:
                continue
            offset, size, link = section[4], section[5], section[6]
            strings = file.sections[link][4]
            if size // file.layout.symbol.size > _LARGEST_TABLE:
                raise ElfError(f"{path} is a damaged ELF file: its symbol table is too large")
            for at in range(offset, offset + size, file.layout.symbol.size):
                symbol = file.layout.symbol.unpack_from(file.data, at)
                if file.layout.wide:
                    name, information, _, index, value, length = symbol
                else:
                    name, value, length, information, _, index = symbol
                if index != 0:
                    yield _Symbol(file.text(strings + name), information, value, length)
    except (struct.error, IndexError) as error:
        raise ElfError(f"{path} is a damaged ELF file: {error}") from None
