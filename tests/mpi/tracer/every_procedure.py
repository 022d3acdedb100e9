"""C sources that call every procedure of an MPI library once, without the library doing anything.

`stubs` is a library that stands between the tracer and MPI. Armed, it answers every call with an error, so that any
procedure may be called with arguments that mean nothing; otherwise it passes the call on.
"""

import re
from collections.abc import Iterable

from linkworth.mpi.wrappers import Procedure

_STUBS = """// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
int lw_test_armed;
"""

_PROGRAM = """// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
// Every address argument points here.
static char nothing[1 << 16];
static void* find(const char* name) {
    void* found = dlsym(RTLD_DEFAULT, name);
    if (!found) fprintf(stderr, "no %s\\n", name);
    return found;
}
int main(int argc, char** argv) {
    int level;
    if (argc > 1 && !strcmp(argv[1], "MPI_Init_thread"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &level);
    else
        MPI_Init(&argc, &argv);
    int* armed = find("lw_test_armed");
    *armed = 1;
"""


def _types(procedure: Procedure) -> str:
    types = ", ".join(parameter.type for parameter in procedure.parameters) or "void"
    return f"{types}, ..." if procedure.name == "MPI_Pcontrol" else types


def _failure(returns: str) -> str:
    return "MPI_ERR_OTHER" if returns == "int" else f"({returns})0"


def _stub(procedure: Procedure) -> str:
    name = procedure.name
    declared = ", ".join(parameter.declaration for parameter in procedure.parameters) or "void"
    if name == "MPI_Pcontrol":
        declared += ", ..."
    return f"""{procedure.returns} stub_{name}({declared}) __asm__("P{name}");
{procedure.returns} stub_{name}({declared}) {{
    static {procedure.returns} (*real)({_types(procedure)});
    if (lw_test_armed) return {_failure(procedure.returns)};
    if (!real) real = ({procedure.returns} (*)({_types(procedure)}))dlsym(RTLD_NEXT, "P{name}");
    return real({procedure.arguments});
}}
"""


def stubs(procedures: Iterable[Procedure]) -> str:
    """Source of the library in between."""
    return _STUBS + "".join(_stub(procedure.without_types_of_addresses()) for procedure in procedures)


def _call(procedure: Procedure, symbol: str) -> str:
    arguments = ", ".join("nothing" if parameter.is_address else "0" for parameter in procedure.parameters)
    return f'    (({procedure.returns} (*)({_types(procedure)}))find("{symbol}"))({arguments});\n'


def program(calls: Iterable[tuple[Procedure, str]]) -> str:
    """Source of a program that calls each symbol of each procedure in turn."""
    text = "".join(_call(procedure.without_types_of_addresses(), symbol) for procedure, symbol in calls)
    return f"{_PROGRAM}{text}    *armed = 0;\n    MPI_Finalize();\n    return 0;\n}}\n"


def is_conversion(name: str) -> bool:
    """Return True if the procedure converts handles. Open MPI's Fortran interface does so by the PMPI name."""
    return re.search(r"_(f2c|c2f|f082c|c2f08|f2f08|f082f|fromint|toint)$", name) is not None
