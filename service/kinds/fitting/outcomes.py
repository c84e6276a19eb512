"""What the learners of one chunk gave or failed with, by name, and as the arrays of the chunk."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from service.jobs.parts import failed_arrays, read_failure
from thetahat.errors import EvaluationError

Arrays = dict[str, np.ndarray]
_WORDS: Final = "of_learners"


@dataclass(slots=True)
class Told:
    """What learners gave.

    Parameters
    ----------
    ran : dict of str to dict
        Arrays of those that ran, by name.
    failures : dict of str to dict
        ``code``, ``message`` and ``loc`` of the others.
    """

    ran: dict[str, Arrays] = field(default_factory=dict)
    failures: dict[str, dict[str, Any]] = field(default_factory=dict)

    def note(self, name: str, work: Callable[[], Arrays]) -> None:
        """Note what a learner gives, or what it is refused with."""
        try:
            self.ran[name] = work()
        except EvaluationError as error:
            self.fail(name, error.code, error.message)

    def fail(self, name: str, code: str, message: str) -> None:
        """Note what a learner failed with."""
        self.failures[name] = {"code": code, "message": message, "loc": ["learners", name]}


def as_arrays(told: Told) -> Arrays:
    """Return what ``told_by`` reads: numbers that two learners have alike stand once.

    Where no learner ran, it is a failure of the chunk, as ``service.jobs.parts`` knows it.
    """
    words = {
        "keys": {name: list(arrays) for name, arrays in told.ran.items()},
        "failures": told.failures,
    }
    found: Arrays = {_WORDS: np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)}
    if not told.ran:
        first = next(iter(told.failures.values()))
        return found | failed_arrays(first["code"], first["message"], tuple(first["loc"]))
    of_first = next(iter(told.ran.values()))
    for at, arrays in enumerate(told.ran.values()):
        for key, values in arrays.items():
            if not at or not _same(values, of_first.get(key)):
                found[f"{at}:{key}"] = values
    return found


def _same(values: np.ndarray, others: np.ndarray | None) -> bool:
    if others is None or values.dtype != others.dtype:
        return False
    return values is others or np.array_equal(values, others)


def told_by(arrays: Mapping[str, np.ndarray], names: Sequence[str]) -> Told:
    """Return what the learners of a chunk gave; one that failed at a limit failed for all."""
    if _WORDS not in arrays:
        whole = read_failure(arrays, names[0])
        return Told(failures={name: {**(whole or {}), "loc": ["learners", name]} for name in names})
    words = json.loads(arrays[_WORDS].tobytes())
    ran = {
        name: {key: arrays[own if (own := f"{at}:{key}") in arrays else f"0:{key}"] for key in keys}
        for at, (name, keys) in enumerate(words["keys"].items())
    }
    return Told(ran, words["failures"])
