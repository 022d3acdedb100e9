"""Reader of ELF files (System V ABI, chapters 4 and 5): libraries, loader, symbols.

It is our own, since binutils are often absent where programs run.
"""

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

SHT_DYNSYM = 11
_PT_DYNAMIC, _PT_INTERP, _PT_LOAD = 2, 3, 1
_DT_NEEDED, _DT_STRTAB, _DT_SONAME = 1, 5, 14
_SHT_SYMTAB = 2
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


class DefinedSymbol(NamedTuple):
    """Symbol that a file defines."""

    at: int
    """Offset of its entry in the file."""
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


@contextmanager
def damage_in(what: object) -> Iterator[None]:
    """Raise ElfError for whatever fails while the contents of an ELF file are read."""
    try:
        yield
    except (struct.error, IndexError, OverflowError, ValueError) as error:
        raise ElfError(f"{what} is not a usable ELF file: {error}") from None


class ElfFile:
    """An ELF file with its program and section headers. Its methods are for the block of `damage_in`."""

    def __init__(self, data: bytearray | mmap.mmap) -> None:
        self.data = data
        self.layout = _layout(bytes(data[:16]))
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

    def defined(self, *kinds: int) -> Iterator[DefinedSymbol]:
        """Yield the symbols that the file defines in its tables of these kinds."""
        entry = self.layout.symbol
        for section in self.sections:
            if section[1] not in kinds:
                continue
            offset, size, link = section[4], section[5], section[6]
            strings = self.sections[link][4]
            if size // entry.size > _LARGEST_TABLE:
                raise ElfError("its symbol table is too large")
            for at in range(offset, offset + size, entry.size):
                if self.layout.wide:
                    name, information, _, index, value, length = entry.unpack_from(self.data, at)
                else:
                    name, value, length, information, _, index = entry.unpack_from(self.data, at)
                if index != 0:
                    yield DefinedSymbol(at, self.text(strings + name), information, value, length)


def is_elf(path: Path) -> bool:
    """Return whether a file starts like an ELF file. False for one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


@contextmanager
def _opened(path: Path) -> Iterator[ElfFile]:
    with (
        damage_in(path),
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        yield ElfFile(data)


def info(path: Path) -> ElfInfo:
    """Read the dynamic section. Raises ElfError for another kind of file, OSError if it cannot be read."""
    with _opened(path) as file:
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
        return ElfInfo(needed, soname, interpreter)


def exported_symbols(path: Path) -> set[str]:
    """Return the names that a shared library defines for others. Raises ElfError, OSError."""
    with _opened(path) as file:
        return {each.name for each in file.defined(SHT_DYNSYM) if each.information >> 4 in (1, 2)}


def functions(path: Path) -> list[tuple[int, int]]:
    """Return the addresses at which named functions begin and end. Raises ElfError, OSError."""
    with _opened(path) as file:
        found = file.defined(_SHT_SYMTAB, SHT_DYNSYM)
        return sorted(
            {(each.value, each.value + each.size) for each in found if each.information & 15 in _FUNCTIONS}
        )
