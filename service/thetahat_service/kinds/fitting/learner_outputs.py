"""The arrays or the failure of each learner of a chunk, and their form as the chunk's output.

A chunk's output is one flat set of arrays. An array that all learners share, such as the numbers
of the test rows, is in it once; arrays of one shape are stacked; others are written one by one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from thetahat.cross_validation.result import LearnerFailure
from thetahat.errors import Loc
from thetahat_service.kinds.base import Arrays
from thetahat_service.outcomes.failure_arrays import encode_failure, read_failure

_INDEX: Final = "learners"
"""The array with the JSON text that says which learner has which arrays, or why it failed."""

LearnerOutput = Mapping[str, np.ndarray] | LearnerFailure
LearnerOutputs = Mapping[str, LearnerOutput]
"""By the learner's name."""


def pack_learner_outputs(outputs: LearnerOutputs) -> Arrays:
    """Return the arrays that ``unpack_learner_outputs`` reads.

    If every learner failed, the chunk has a failure too, as
    ``thetahat_service.outcomes.failure_arrays`` reads it.
    """
    arrays = {name: v for name, v in outputs.items() if not isinstance(v, LearnerFailure)}
    failures = {name: v for name, v in outputs.items() if isinstance(v, LearnerFailure)}
    index = {
        "arrays": {name: list(keys) for name, keys in arrays.items()},
        "failures": {name: [failure.code, failure.message] for name, failure in failures.items()},
    }
    packed: Arrays = {_INDEX: np.frombuffer(json.dumps(index).encode(), dtype=np.uint8)}
    if not arrays:
        first = next(iter(failures.values()))
        return packed | encode_failure(first.code, first.message, first.loc)
    for key in dict.fromkeys(key for by_key in arrays.values() for key in by_key):
        packed |= _pack_key(key, [by_key[key] for by_key in arrays.values() if key in by_key])
    return packed


def unpack_learner_outputs(
    packed: Mapping[str, np.ndarray], names: Sequence[str], learner_path: Callable[[str], Loc]
) -> dict[str, LearnerOutput]:
    """Return the arrays or the failure of each learner of a chunk.

    ``names`` are the chunk's learners: a chunk that ran into a limit failed for all of them.
    ``learner_path`` returns the path of a learner in the request.
    """
    if _INDEX not in packed:
        failure = read_failure(packed, names[0]) or {"code": "", "message": ""}
        return {
            name: LearnerFailure(
                code=failure["code"], message=failure["message"], loc=learner_path(name)
            )
            for name in names
        }
    index = json.loads(packed[_INDEX].tobytes())
    outputs: dict[str, LearnerOutput] = {}
    place: dict[str, int] = {}  # of the next learner that has a key, among those that have it
    for name, keys in index["arrays"].items():
        outputs[name] = {key: _unpack_key(packed, key, place.setdefault(key, 0)) for key in keys}
        for key in keys:
            place[key] += 1
    for name, (code, message) in index["failures"].items():
        outputs[name] = LearnerFailure(code=code, message=message, loc=learner_path(name))
    return outputs


def _pack_key(key: str, values: Sequence[np.ndarray]) -> Arrays:
    first, *other_values = values
    differs = [not _is_same(array, first) for array in other_values]
    if not any(differs):
        return {f"all:{key}": first}
    if all(array.shape == first.shape and array.dtype == first.dtype for array in other_values):
        return {f"stacked:{key}": np.stack(values)}
    distinct = {
        f"{at}:{key}": array for at, array in enumerate(other_values, start=1) if differs[at - 1]
    }
    return {f"0:{key}": first, **distinct}


def _unpack_key(packed: Mapping[str, np.ndarray], key: str, at: int) -> np.ndarray:
    if f"all:{key}" in packed:
        return packed[f"all:{key}"]
    if f"stacked:{key}" in packed:
        row: np.ndarray = packed[f"stacked:{key}"][at]
        return row
    distinct = f"{at}:{key}"
    return packed[distinct if distinct in packed else f"0:{key}"]


def _is_same(values: np.ndarray, other_values: np.ndarray) -> bool:
    return values is other_values or (
        values.dtype == other_values.dtype and np.array_equal(values, other_values)
    )
