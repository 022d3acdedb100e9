"""Integer programs, solved by HiGHS (Huangfu and Hall, Mathematical Programming Computation 10, 2018; highspy, MIT licence)."""

import contextlib
import ctypes
import importlib.util
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from linkworth.errors import EnvironmentLacksError

HINT = "install it with: pip install 'linkworth[allocate]'"


class LinearRow(NamedTuple):
    """`lower <= sum of coefficient x variable <= upper`."""

    terms: Sequence[tuple[int, float]]
    """Number of a variable, and its coefficient."""
    lower: float
    upper: float


class Solved(NamedTuple):
    """Result of the solver."""

    state: Literal["optimal", "feasible", "infeasible", "undecided"]
    values: list[int]
    """Values of the variables; empty without a solution."""
    bound: float
    """No solution is below it."""


def minimise(
    costs: Sequence[float], uppers: Sequence[int], rows: Sequence[LinearRow], *, time_limit: float
) -> Solved:
    """Minimise `costs` x variables over whole numbers from 0 to `uppers` under `rows`, for at most `time_limit` seconds.

    Raises EnvironmentLacksError if highspy is not installed.
    """
    require_solver()
    with _silent():
        return _solved(costs, uppers, rows, time_limit)


def require_solver() -> None:
    """Raise EnvironmentLacksError if highspy is not installed."""
    if importlib.util.find_spec("highspy") is None:
        raise EnvironmentLacksError(f"allocating a queue needs highspy, the HiGHS solver; {HINT}")


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Send the solver's output to the null device: it prints its banner before it reads the option against it."""
    sys.stdout.flush()
    library = ctypes.CDLL(None)
    library.fflush(None)
    try:
        kept = os.dup(1)
    except OSError:  # standard output is closed
        yield
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
    try:
        yield
    finally:
        library.fflush(None)
        os.dup2(kept, 1)
        os.close(kept)


def _solved(
    costs: Sequence[float], uppers: Sequence[int], rows: Sequence[LinearRow], time_limit: float
) -> Solved:
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(costs), len(rows)
    model.col_cost_ = list(costs)
    model.col_lower_ = [0.0] * len(costs)
    model.col_upper_ = [float(upper) for upper in uppers]
    model.integrality_ = [highspy.HighsVarType.kInteger] * len(costs)
    model.row_lower_ = [row.lower for row in rows]
    model.row_upper_ = [row.upper for row in rows]
    starts, places, values = [0], [], []
    for row in rows:
        places += [place for place, _ in row.terms]
        values += [value for _, value in row.terms]
        starts.append(len(places))
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.num_col_, model.a_matrix_.num_row_ = len(costs), len(rows)
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = starts, places, values
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, setting in (
        ("output_flag", False),
        ("mip_rel_gap", 0.0),
        ("time_limit", time_limit),
        ("random_seed", 0),
        ("threads", 1),
    ):
        solver.setOptionValue(option, setting)
    solver.passModel(model)
    # In a thread of its own, since an interrupt cannot reach this one before the solver returns. highspy's `startSolve` shares
    # its locks among all solvers, and an interrupt while it starts leaves them taken.
    solver.HandleUserInterrupt = True
    running = threading.Thread(target=solver.run, daemon=True)
    try:
        running.start()
        running.join()
    except BaseException:
        solver.cancelSolve()
        if running.is_alive():
            running.join()
        raise
    status, info = solver.getModelStatus(), solver.getInfo()
    if status == highspy.HighsModelStatus.kInfeasible:
        return Solved("infeasible", [], float("inf"))
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Solved("undecided", [], info.mip_dual_bound)
    optimal = status == highspy.HighsModelStatus.kOptimal
    return Solved(
        "optimal" if optimal else "feasible",
        [round(value) for value in solver.getSolution().col_value],
        info.objective_function_value if optimal else info.mip_dual_bound,
    )
