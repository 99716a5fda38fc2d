"""Linear programs, with whole numbers where asked, solved by HiGHS; the only file that knows the solver.

    minimize cᵗu     subject to     row_lower ≤ Au ≤ row_upper,     lower ≤ u ≤ upper,     some u_j whole

The solver runs in a thread of its own, which gives up Python's lock, while the caller's thread waits and asks ``stop``
many times a second: so Ctrl-C is heard, and the solver leaves at its next step.  One thread and a fixed seed: the same
program has the same answer.  Whatever is not an optimum, a stop or a time limit raises before anyone reads a solution.

Symbols: u the unknowns, c their cost, A the matrix; the row duals π say by how much the optimum moves with the bounds
of the rows, so that c − Aᵗπ are the reduced costs.

Source: Huangfu, Hall, "Parallelizing the dual revised simplex method", *Mathematical Programming Computation* 10, 2018.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import highspy
import numpy as np
from numpy.typing import NDArray

from .._guards.validation import all_finite

Vector = NDArray[np.float64]

POLL = 0.05  # seconds between two looks at ``stop``
TOLERANCE = 1e-9  # by how much a bound may be overstepped; HiGHS knows nothing below 1e-10

End = Literal["optimal", "stopped", "time limit"]

CALLS, STATES = highspy.cb.HighsCallbackType, highspy.HighsModelStatus
INTERRUPTS = CALLS.kCallbackSimplexInterrupt, CALLS.kCallbackIpmInterrupt, CALLS.kCallbackMipInterrupt
ENDS: dict[Any, End] = {STATES.kOptimal: "optimal", STATES.kInterrupt: "stopped", STATES.kTimeLimit: "time limit"}


class SolverError(RuntimeError):
    """The solver ended without an answer."""


@dataclass(frozen=True)
class Program:
    """A linear program; with ``whole``, one whose unknowns of that mask are whole numbers."""

    cost: Vector
    A: Any  # scipy's CSR or CSC
    row_lower: Vector
    row_upper: Vector
    lower: Vector
    upper: Vector
    whole: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class ProgramAnswer:
    """How the solver ended and what it had by then: NaN where it had nothing, or where there is no such thing."""

    status: End
    primal: Vector
    row_duals: Vector
    objective: float
    bound: float  # no solution has a lower cost; for an optimum it is the objective
    steps: int


def solve(
    program: Program,
    *,
    time_limit: float = np.inf,
    presolve: bool = True,
    method: Literal["choose", "simplex", "ipm"] = "choose",
    stop: Callable[[], bool] | None = None,
) -> ProgramAnswer:
    """Solve the program; ``stop`` is asked in the caller's thread whether to leave early."""
    solver = _prepare(program, time_limit, presolve, method)
    _run(solver, stop)
    status = solver.getModelStatus()
    if status not in ENDS:
        size = f"{program.A.shape[0]} rows, {program.A.shape[1]} unknowns"
        raise SolverError(
            f"HiGHS found no optimum of a linear program ({size}): it ended with "
            f"{solver.modelStatusToString(status)!r}; scale the features to ordinary sizes, or drop columns that "
            "nearly depend on each other."
        )
    return _answer(solver, ENDS[status], program)


def _prepare(program: Program, time_limit: float, presolve: bool, method: str) -> Any:
    if not (all_finite(program.cost) and all_finite(program.A.data)):
        raise SolverError("the linear program holds NaN or infinity; give finite costs and a finite matrix.")
    make: Any = highspy.Highs  # which has no types
    solver = make()
    options = {
        "output_flag": False,
        "threads": 1,
        "parallel": "off",
        "random_seed": 0,
        "time_limit": float(time_limit),
        "presolve": "on" if presolve else "off",
        "solver": method,
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
        "small_matrix_value": 1e-12,  # what is smaller is taken for zero; HiGHS allows no less
        "mip_rel_gap": 0.0,
    }
    for name, value in options.items():
        if solver.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise SolverError(f"HiGHS refuses {name}={value!r}; give another value.")
    if solver.passModel(_model(program)) == highspy.HighsStatus.kError:
        raise SolverError("HiGHS refuses the linear program; give finite bounds and a matrix below 1e15.")
    return solver


def _model(program: Program) -> highspy.HighsLp:
    """The program as HiGHS takes it; the matrix goes over as it is stored."""
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = program.A.shape
    model.col_cost_, model.col_lower_, model.col_upper_ = program.cost, program.lower, program.upper
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    formats = highspy.MatrixFormat
    matrix = model.a_matrix_
    matrix.format_ = formats.kRowwise if program.A.format == "csr" else formats.kColwise
    matrix.start_, matrix.index_ = (part.astype(np.int32) for part in (program.A.indptr, program.A.indices))
    matrix.value_ = program.A.data
    if program.whole is not None:
        kinds = highspy.HighsVarType
        model.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in program.whole]
    return model


def _run(solver: Any, stop: Callable[[], bool] | None) -> None:
    """Run the solver in a thread; where the caller is interrupted for good, wait for it to leave, then raise."""
    leave = threading.Event()
    errors: list[BaseException] = []

    def listen(kind: Any, message: str, seen: Any, answer: Any, data: Any) -> None:
        if leave.is_set():
            answer.user_interrupt = True

    def work() -> None:
        try:
            solver.run()
        except BaseException as error:  # handed over to the caller's thread
            errors.append(error)

    solver.setCallback(listen, None)
    for kind in INTERRUPTS:
        solver.startCallback(kind)
    thread = threading.Thread(target=work, name="HiGHS", daemon=True)
    if stop is not None and stop():
        leave.set()
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL)
            if stop is not None and stop():
                leave.set()
    finally:
        leave.set()
        thread.join()
        solver.setCallback(None, None)
    if errors:
        raise errors[0]


def _answer(solver: Any, status: End, program: Program) -> ProgramAnswer:
    solution, info = solver.getSolution(), solver.getInfo()
    rows, unknowns = program.A.shape
    objective = float(info.objective_function_value) if solution.value_valid else np.inf
    relaxed = program.whole is not None
    bound = float(info.mip_dual_bound) if relaxed else objective if status == "optimal" else -np.inf
    primal = np.array(solution.col_value) if solution.value_valid else np.full(unknowns, np.nan)
    duals = np.array(solution.row_dual) if solution.dual_valid and not relaxed else np.full(rows, np.nan)
    return ProgramAnswer(status, primal, duals, objective, bound, int(info.simplex_iteration_count))
