"""Outcomes as plain arrays, the form in which a worker hands in its part of the work."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from thetahat.resampling.runner import SplitOutcome
from thetahat.types import Caution

Arrays = dict[str, np.ndarray]
_KEPT = ("output", "probabilities", "scores")


def pack(outcomes: Sequence[SplitOutcome]) -> Arrays:
    """Return arrays that ``unpack`` turns into the same outcomes, bit by bit.

    Labels, cautions and reasons, which are words, stand as the bytes of one JSON text. Kept
    predictions are packed where every outcome has them.
    """
    words = [[o.label, [[c.code, c.message] for c in o.cautions], o.why_plain] for o in outcomes]
    arrays = {
        "repeat": np.array([o.repeat for o in outcomes], dtype=np.intp),
        "block": np.array([o.block for o in outcomes], dtype=np.intp),
        "n_train": np.array([o.n_train for o in outcomes], dtype=np.intp),
        "n_test": np.array([len(o.test) for o in outcomes], dtype=np.intp),
        "test": np.concatenate([np.empty(0, dtype=np.intp), *(o.test for o in outcomes)]),
        "losses": np.concatenate([np.empty(0), *(o.losses for o in outcomes)]),
        "words": np.frombuffer(json.dumps(words).encode(), dtype=np.uint8),
    }
    for name in _KEPT:
        parts = [getattr(outcome, name) for outcome in outcomes]
        if parts and all(part is not None for part in parts):
            arrays[name] = np.concatenate(parts)
    return arrays


def unpack(arrays: Mapping[str, np.ndarray]) -> list[SplitOutcome]:
    """Return the outcomes that ``pack`` was given."""
    words = json.loads(arrays["words"].tobytes())
    ends = np.cumsum(arrays["n_test"])
    outcomes = []
    for at, (label, cautions, why_plain) in enumerate(words):
        rows = slice(int(ends[at] - arrays["n_test"][at]), int(ends[at]))
        kept = {name: arrays[name][rows] for name in _KEPT if name in arrays}
        outcomes.append(
            SplitOutcome(
                repeat=int(arrays["repeat"][at]),
                block=int(arrays["block"][at]),
                label=label,
                n_train=int(arrays["n_train"][at]),
                test=arrays["test"][rows],
                losses=arrays["losses"][rows],
                cautions=tuple(Caution(code, message) for code, message in cautions),
                why_plain=why_plain,
                **kept,
            )
        )
    return outcomes
