"""Outcomes as plain arrays, the form in which a worker hands in its part of the work."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from thetahat.cautions import restore
from thetahat.cross_validation.outcomes import KEPT, Outcomes, Places, SplitOutcome, gathered
from thetahat.values.types import Label

Arrays = dict[str, np.ndarray]


def pack(outcomes: Sequence[SplitOutcome]) -> Arrays:
    """Return arrays that ``unpack`` turns into the same outcomes, bit by bit.

    Labels, cautions and reasons, which are words, stand as the bytes of one JSON text. Kept
    predictions are packed where every outcome has them.
    """
    all_of = gathered(outcomes)
    places = all_of.places
    words = {
        "labels": _short(places.labels),
        "cautions": [
            [at, [[c.code, c.message] for c in told]] for at, told in all_of.cautions.items()
        ],
        "why_plain": list(all_of.why_plain.items()),
    }
    return {
        "repeat": places.repeat,
        "block": places.block,
        "n_train": places.n_train,
        "n_test": places.n_test,
        "test": places.test,
        "losses": all_of.losses,
        "words": np.frombuffer(json.dumps(words).encode(), dtype=np.uint8),
        **all_of.kept(),
    }


def unpack(arrays: Mapping[str, np.ndarray]) -> Outcomes:
    """Return the outcomes that ``pack`` was given."""
    words = json.loads(arrays["words"].tobytes())
    labels = words["labels"]
    places = Places(
        repeat=arrays["repeat"],
        block=arrays["block"],
        labels=range(*labels["range"]) if isinstance(labels, dict) else labels,
        n_train=arrays["n_train"],
        n_test=arrays["n_test"],
        test=arrays["test"],
    )
    kept = {name: arrays[name] for name in KEPT if name in arrays}
    return Outcomes(
        places=places,
        losses=arrays["losses"],
        cautions={
            at: tuple(restore(code, message) for code, message in told)
            for at, told in words["cautions"]
        },
        why_plain=dict(words["why_plain"]),
        **kept,
    )


def _short(labels: Sequence[Label]) -> list[Label] | dict[str, list[int]]:
    """Return labels as JSON can hold them; those that count up by their ends alone."""
    if isinstance(labels, range):
        return {"range": [labels.start, labels.stop]}
    return list(labels)
