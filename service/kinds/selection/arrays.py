"""What a piece of a selection hands in: arrays of all candidates of one bundle."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from service.jobs.parts import read_failure
from thetahat.analyses.selection import InternalEstimate
from thetahat.cautions import Caution, restore
from thetahat.cross_validation import SplitOutcome
from thetahat.errors import EvaluationError

if TYPE_CHECKING:
    from service.kinds.selection.plan import Plan
    from service.kinds.selection.run import Done

Arrays = dict[str, np.ndarray]
_SCORES = ("scores", "probabilities")


def pack_external(
    plan: Plan, done: Mapping[str, Done], failed: Mapping[str, EvaluationError]
) -> Arrays:
    """Return external outcomes and internal estimates of L candidates on J splits as arrays.

    Of N test rows: ``losses`` and ``output`` (L, N), scores by candidate where they are needed;
    ``criterion`` (L, J), ``internal_means`` (L, all internal splits), ``n_internal`` (J,),
    ``internal_within``, ``internal_pooled`` and ``internal_pooled_error`` (L, J).
    """
    found = list(done.values())
    pooled = [[e.pooled or (np.nan, np.nan) for e in one.internal] for one in found]
    values = [
        plan.criterion.by_split(one.outcomes, plan.data, name)[0] for name, one in done.items()
    ]
    return {
        **_rows(plan, done, failed),
        "criterion": np.array(values),
        "internal_means": np.array(
            [np.concatenate([np.empty(0), *(e.means for e in one.internal)]) for one in found]
        ),
        "n_internal": np.array([len(e.means) for e in found[0].internal], dtype=np.intp),
        "internal_within": np.array([[e.within for e in one.internal] for one in found]),
        "internal_pooled": np.array(pooled)[:, :, 0],
        "internal_pooled_error": np.array(pooled)[:, :, 1],
    }


def pack_on_all(
    plan: Plan, done: Mapping[str, Done], failed: Mapping[str, EvaluationError]
) -> Arrays:
    """Return the numbers of L candidates on J internal splits of all rows, and rows if needed."""
    kept = _rows(plan, done, failed) if plan.keeps_rows_on_all else _words(done, failed)
    return {
        **kept,
        "internal_means": np.array([one.internal[0].means for one in done.values()]),
        "internal_within": np.array([one.internal[0].within for one in done.values()]),
    }


def _words(
    done: Mapping[str, Done], failed: Mapping[str, EvaluationError], labels: Sequence[Any] = ()
) -> Arrays:
    told = {
        "names": list(done),
        "labels": labels,
        "warned": {
            name: [[[c.code, c.message] for c in cautions] for cautions in one.warned]
            for name, one in done.items()
            if any(one.warned)
        },
        "fitted": {name: list(one.fitted.items()) for name, one in done.items()},
        "n_splits": len(next(iter(done.values())).warned),
        "failures": {
            name: {"code": error.code, "message": error.message, "loc": ["candidates", name]}
            for name, error in failed.items()
        },
    }
    return {"words": np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)}


def _rows(plan: Plan, done: Mapping[str, Done], failed: Mapping[str, EvaluationError]) -> Arrays:
    of_first = next(iter(done.values())).outcomes
    arrays = {
        **_words(done, failed, [outcome.label for outcome in of_first]),
        "repeat": np.array([o.repeat for o in of_first], dtype=np.intp),
        "block": np.array([o.block for o in of_first], dtype=np.intp),
        "n_train": np.array([o.n_train for o in of_first], dtype=np.intp),
        "n_test": np.array([len(o.test) for o in of_first], dtype=np.intp),
        "test": np.concatenate([outcome.test for outcome in of_first]),
    }
    for kept in ("losses", "output"):
        rows = [np.concatenate([getattr(o, kept) for o in one.outcomes]) for one in done.values()]
        arrays[kept] = np.array(rows)
    if plan.keeps_scores:
        for at, one in enumerate(done.values()):
            for kept in _SCORES:
                given = [getattr(outcome, kept) for outcome in one.outcomes]
                if all(part is not None for part in given):
                    arrays[f"{kept}:{at}"] = np.concatenate(given)
    return arrays


class Piece:
    """What one piece handed in, read by candidate."""

    def __init__(self, arrays: Mapping[str, np.ndarray], names: Sequence[str]) -> None:
        self._arrays = arrays
        whole = read_failure(arrays, names[0])
        self.failures: dict[str, dict[str, Any]] = {}
        if whole:
            self.failures = {name: {**whole, "loc": ["candidates", name]} for name in names}
        self._words: dict[str, Any] = {"names": []} if whole else self._read_words()
        self.names: list[str] = self._words["names"]

    def _read_words(self) -> dict[str, Any]:
        words: dict[str, Any] = json.loads(self._arrays["words"].tobytes())
        self.failures = words["failures"]
        return words

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.names)}

    def warned(self, name: str) -> list[tuple[Caution, ...]]:
        """Return what the candidate warned of, split by split."""
        found = self._words["warned"].get(name, [[]] * self._words["n_splits"])
        return [tuple(restore(code, message) for code, message in of_one) for of_one in found]

    def fitted(self, name: str) -> Counter[str | None]:
        """Return how many splits were fitted, by why; None where the candidate was not."""
        return Counter(dict(self._words["fitted"][name]))

    def estimates(self, name: str) -> list[InternalEstimate]:
        """Return the internal estimates of a piece of external splits."""
        arrays, at = self._arrays, self._place[name]
        means = np.split(arrays["internal_means"][at], np.cumsum(arrays["n_internal"])[:-1])
        errors = arrays["internal_pooled_error"][at]
        pooled = zip(arrays["internal_pooled"][at], errors, strict=True)
        return [
            InternalEstimate(
                means=of_one,
                within=float(within),
                pooled=None if np.isnan(value) else (float(value), float(error)),
            )
            for of_one, within, (value, error) in zip(
                means, arrays["internal_within"][at], pooled, strict=True
            )
        ]

    def criterion(self, name: str) -> np.ndarray:
        """(J,) the candidate's number on each external test part."""
        return np.asarray(self._arrays["criterion"][self._place[name]])

    def on_all(self, name: str) -> tuple[np.ndarray, float]:
        """(J,) the candidate's number on each internal split of all rows, and ``within``."""
        at = self._place[name]
        return self._arrays["internal_means"][at], float(self._arrays["internal_within"][at])

    def outcomes(self, name: str) -> list[SplitOutcome]:
        """Return the outcomes of a candidate; what it warned of is not among them."""
        arrays, at = self._arrays, self._place[name]
        ends = np.cumsum(arrays["n_test"])
        scores, probabilities = (arrays.get(f"{one}:{at}") for one in _SCORES)
        return [
            SplitOutcome(
                repeat=int(arrays["repeat"][j]),
                block=int(arrays["block"][j]),
                label=label,
                n_train=int(arrays["n_train"][j]),
                test=arrays["test"][rows],
                losses=arrays["losses"][at][rows],
                output=arrays["output"][at][rows],
                scores=None if scores is None else scores[rows],
                probabilities=None if probabilities is None else probabilities[rows],
            )
            for j, label in enumerate(self._words["labels"])
            for rows in [slice(int(ends[j] - arrays["n_test"][j]), int(ends[j]))]
        ]
