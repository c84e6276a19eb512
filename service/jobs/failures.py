"""What a failed evaluation says of itself: a problem document without type of transport."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from service.errors import Fault, ServiceError
from thetahat.errors import EvaluationError

LONGEST_TEXT = 2000
LONGEST_VALUE = 200

TIME_LIMIT: Final = "time_limit_exceeded"
MEMORY_LIMIT: Final = "memory_limit_exceeded"
WORKER_LOST: Final = "worker_lost"
INTERNAL: Final = "internal_error"


def problem(code: str, detail: str, faults: Sequence[Fault] = ()) -> dict[str, Any]:
    """Return an error as it stands in an evaluation."""
    return {
        "type": f"/problems/{code}",
        "code": code,
        "title": code.replace("_", " ").capitalize(),
        "detail": detail[:LONGEST_TEXT],
        "errors": [
            {"loc": list(fault.loc), "message": fault.message, "value": shown(fault.value)}
            for fault in faults
        ],
    }


def of_refusal(error: EvaluationError | ServiceError) -> dict[str, Any]:
    """Return what the person who asked should read; never a trace."""
    if isinstance(error, ServiceError):
        return problem(error.code, error.message, error.errors)
    faults = (Fault(error.loc, error.message, error.value),) if error.loc else ()
    return problem(error.code, error.message, faults)


def time_limit(seconds: float) -> dict[str, Any]:
    """Say that a part ran too long."""
    return problem(TIME_LIMIT, f"A part of the work ran longer than {seconds:g} seconds.")


def memory_limit(mebibytes: int) -> dict[str, Any]:
    """Say that a part wanted too much memory."""
    return problem(MEMORY_LIMIT, f"A part of the work wanted more than {mebibytes} MiB of memory.")


def worker_lost(attempts: int) -> dict[str, Any]:
    """Say that the processes at work on a part kept ending."""
    times = "time" if attempts == 1 else "times"
    return problem(
        WORKER_LOST,
        f"The worker process ended {attempts} {times} during the same part of the work; "
        "it may want more memory than the machine has.",
    )


def internal() -> dict[str, Any]:
    """Say that the fault is ours; the log has the trace under the evaluation's id."""
    return problem(INTERNAL, "A fault of the service ended this work; its log has the trace.")


def shown(value: Any) -> Any:
    """Return a value that JSON can show, shortened where it is long."""
    if callable(getattr(value, "item", None)) and getattr(value, "ndim", None) == 0:
        value = value.item()  # a NumPy scalar
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    text = value if isinstance(value, str) else repr(value)
    return text[:LONGEST_VALUE]
