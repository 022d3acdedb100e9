import contextlib
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_program import output_of

from linkworth.mpi import elf

needs_compiler = pytest.mark.requires("c++")


def compiled(folder, text, *options):
    source, result = folder / "source.c", folder / "result"
    source.write_text(text)
    output_of(["c++", "-xc++", source, *options, "-o", result])
    return result


@needs_compiler
def test_exported_symbols_are_the_defined_public_ones(tmp_path):
    library = compiled(
        tmp_path,
        """
        extern "C" {
        extern int absent(void);
        int public_function(void) { return absent(); }
        int public_number = 3;
        static int hidden(void) { return 4; }
        __attribute__((weak)) int weak_function(void) { return hidden(); }
        }
        """,
        "-shared",
        "-fPIC",
        "-Wl,-soname,libresult.so.7",
    )
    symbols = elf.exported_symbols(library)
    assert {"public_function", "public_number", "weak_function"} <= symbols
    assert not {"absent", "hidden"} & symbols
    assert elf.info(library).soname == "libresult.so.7"
    assert elf.info(library).interpreter == ""


@needs_compiler
def test_program_names_its_libraries_and_loader(tmp_path):
    program = compiled(tmp_path, '#include <cstdio>\nint main() { std::puts(""); }')
    information = elf.info(program)
    assert any(name.startswith("libc.so") for name in information.needed)
    assert Path(information.interpreter).exists()


def test_script_is_no_elf_file(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    assert not elf.is_elf(script)
    assert not elf.is_elf(tmp_path / "absent")
    with pytest.raises(elf.ElfError, match="not an ELF file"):
        elf.info(script)


@given(st.data())
def test_damaged_files_raise_only_elf_error(tmp_path_factory, data):
    with Path(sys.executable).resolve().open("rb") as file:
        start = bytearray(file.read(16384))
    for _ in range(data.draw(st.integers(1, 6))):
        start[data.draw(st.integers(4, len(start) - 1))] = data.draw(st.integers(0, 255))
    damaged = tmp_path_factory.mktemp("elf") / "damaged"
    damaged.write_bytes(bytes(start[: data.draw(st.integers(5, len(start)))]))
    for read in (elf.info, elf.exported_symbols):
        with contextlib.suppress(elf.ElfError):
            read(damaged)


@pytest.mark.parametrize("field", [32, 40], ids=["segments", "sections"])
def test_offset_beyond_any_file_is_damage(tmp_path, field):
    with Path(sys.executable).resolve().open("rb") as file:
        start = bytearray(file.read(16384))
    start[field : field + 8] = b"\xff" * 8
    damaged = tmp_path / "damaged"
    damaged.write_bytes(start)
    with pytest.raises(elf.ElfError, match="damaged is not a usable ELF file"):
        elf.info(damaged)


@needs_compiler
def test_functions_have_a_beginning_and_an_end(tmp_path):
    text = 'extern "C" int first(int a) { return 3 * a; }\nextern "C" int number = 3;\n'
    library = compiled(tmp_path, text, "-shared", "-fPIC", "-s")
    names = output_of(["nm", "-DS", library])
    start, size = next(line.split()[:2] for line in names.splitlines() if line.endswith(" first"))
    assert (int(start, 16), int(start, 16) + int(size, 16)) in elf.functions(library)
    number = next(line.split()[0] for line in names.splitlines() if line.endswith(" number"))
    assert int(number, 16) not in [beginning for beginning, _ in elf.functions(library)]
