"""No procedure that an MPI library exports passes the tracer unrecorded."""

import re
from pathlib import Path

import every_procedure

from linkworth.mpi import elf, wrappers

EVERY_MPI = True  # which procedures there are differs between versions

# Exported with the names of procedures, but nothing that a program calls: constants, the predefined callbacks that it
# passes by address, and entry points that Open MPI's Fortran modules bind MPI_Wtime and MPI_Aint_add to.
NO_PROCEDURES = re.compile(
    r"MPI_(F08_|F_)STATUS(ES)?_IGNORE|MPI_UNWEIGHTED|MPI_WEIGHTS_EMPTY|MPI_T_PVAR_ALL_HANDLES"
    r"|MPI_(COMM_|TYPE_|WIN_)?(NULL_COPY|NULL_DELETE|DUP)_FN|MPI_CONVERSION_FN_NULL(_C)?"
    r"|MPI_(AINT_ADD|AINT_DIFF|WTICK|WTIME)_F90"
)
# They begin and end the recording, and so are called in earnest.
ENDS = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"}


def _exported(bench):
    symbols = elf.exported_symbols(Path(bench.mpi.library))
    names = {re.sub(r"^P", "", name) for name in symbols if re.match(r"P?MPI_[A-Z]", name)}
    return {name for name in names if not NO_PROCEDURES.fullmatch(name)}


def test_every_exported_procedure_has_a_wrapper_under_all_its_names(bench):
    library = elf.exported_symbols(Path(bench.mpi.library))
    tracer = elf.exported_symbols(bench.tracer)
    assert len(_exported(bench)) > 400
    wanted = {form for name in _exported(bench) for form in (name, f"P{name}")} & library
    wanted -= {f"P{name}" for name in _exported(bench) if every_procedure.is_conversion(name)}
    assert wanted - tracer == set()
    # And none that the library lacks: programs look whether a procedure is there.
    wrapped = {re.sub(r"^P", "", name) for name in tracer if re.match(r"P?MPI_", name)}
    assert wrapped == _exported(bench)
    assert not [name for name in elf.info(bench.tracer).needed if "mpi" in name], (
        "the program brings its own MPI"
    )


def test_every_exported_procedure_leaves_an_event(bench):
    procedures = wrappers.standard_procedures()
    called = [procedures[name] for name in sorted(_exported(bench) - ENDS)]
    stubs = _compiled(bench, "stubs", every_procedure.stubs(called), "-shared", "-fPIC", "-ldl")
    calls = [
        (procedure, symbol)
        for procedure in called
        for symbol in (procedure.name, f"P{procedure.name}")
        if symbol == procedure.name or not every_procedure.is_conversion(procedure.name)
    ]
    program = _compiled(bench, "program", every_procedure.program(calls), "-ldl")
    for start in ("MPI_Init", "MPI_Init_thread"):
        run = bench.record(program, start, ranks=1, yielding=False, LD_PRELOAD=f"{bench.tracer}:{stubs}")
        assert (run.returncode, run.stderr) == (0, "")
        (part,) = run.parts
        recorded = [event.name for event in part.events]
        assert recorded == [start, *(procedure.name for procedure, _ in calls), "MPI_Finalize"]


def _compiled(bench, name, text, *flags):
    source = bench.folder / f"{name}.c"
    source.write_text(text)
    return bench.compile(source, "-O0", *flags, output=name)
