"""Errors of failed evaluations, as problem documents without a status or a request."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from thetahat.errors import EvaluationError
from thetahat_service.errors import (
    DamagedFile,
    FieldError,
    ServiceError,
    Unavailable,
    list_field_errors,
)
from thetahat_service.json_types import StoredProblem

LONGEST_TEXT = 2000
LONGEST_VALUE = 200

TIME_LIMIT: Final = "time_limit_exceeded"
MEMORY_LIMIT: Final = "memory_limit_exceeded"
WORKER_LOST: Final = "worker_lost"
INTERNAL: Final = "internal_error"


def build_problem(code: str, detail: str, faults: Sequence[FieldError] = ()) -> StoredProblem:
    """Return an error as an evaluation document shows it."""
    return {
        "type": f"/problems/{code}",
        "code": code,
        "title": code.replace("_", " ").capitalize(),
        "detail": detail[:LONGEST_TEXT],
        "errors": [
            {"loc": list(fault.loc), "message": fault.message, "value": shorten_value(fault.value)}
            for fault in faults
        ],
    }


def describe_error(error: EvaluationError | ServiceError) -> StoredProblem:
    """Return the error of a request that cannot be evaluated; never with a traceback."""
    if isinstance(error, ServiceError):
        return build_problem(error.code, error.message, error.errors)
    faults = [fault for fault in list_field_errors(error) if fault.loc]
    return build_problem(error.code, error.message, faults)


def describe_time_limit(seconds: float) -> StoredProblem:
    """Return the error of a unit that ran too long."""
    return build_problem(TIME_LIMIT, f"A part of the work ran longer than {seconds:g} seconds.")


def describe_job_time_limit(limit_s: float, used_s: float) -> StoredProblem:
    """Return the error of an evaluation whose units together computed too long."""
    return build_problem(
        TIME_LIMIT,
        f"The evaluation has used {used_s:.1f} seconds of computing, all of its parts together, "
        f"and the limit is {limit_s:g}. Use fewer learners, splits or rows.",
    )


def describe_memory_limit(mebibytes: int) -> StoredProblem:
    """Return the error of a unit that needed too much memory."""
    return build_problem(
        MEMORY_LIMIT, f"A part of the work needed more than {mebibytes} MiB of memory."
    )


def describe_lost_worker(attempts: int) -> StoredProblem:
    """Return the error of a unit whose worker process ended each time."""
    times = "time" if attempts == 1 else "times"
    return build_problem(
        WORKER_LOST,
        f"The worker process ended {attempts} {times} during the same part of the work; "
        "it may need more memory than the machine has.",
    )


def describe_internal_error(attempts: int = 1) -> StoredProblem:
    """Return the error of a fault in the service; the log has the traceback."""
    tried = "" if attempts == 1 else f" It was tried {attempts} times, in different processes."
    return build_problem(
        INTERNAL,
        f"An internal error ended the evaluation.{tried} The service's log has the details.",
    )


def describe_outage(seconds: float, reason: str) -> StoredProblem:
    """Return the error of a unit that waited too long for what it needs, such as the database."""
    return build_problem(
        Unavailable.code,
        f"The work waited longer than {seconds:g} seconds for the file store, the database or a "
        f"worker of another release. The last attempt failed with this message: {reason}",
    )


def describe_damaged_chunks(count: int, attempts: int) -> StoredProblem:
    """Return the error of chunks whose stored arrays were lost or damaged each time."""
    files = "file is" if count == 1 else "files are"
    return build_problem(
        DamagedFile.code,
        f"{count} stored {files} lost or damaged, after {attempts} attempts to compute them. "
        "Check the disk of the file store.",
    )


def shorten_value(value: Any) -> Any:
    """Return a value that JSON can hold, shortened if it is long."""
    if callable(getattr(value, "item", None)) and getattr(value, "ndim", None) == 0:
        value = value.item()  # a NumPy scalar
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    text = value if isinstance(value, str) else repr(value)
    return text[:LONGEST_VALUE]
