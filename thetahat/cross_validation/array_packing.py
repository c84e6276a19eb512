"""Outcomes as plain arrays, the form in which a worker stores the result of a chunk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from thetahat.cautions import list_stored, restore_all
from thetahat.cross_validation.outcomes import (
    PREDICTION_FIELDS,
    Outcomes,
    SplitOutcome,
    SplitTable,
    as_outcomes,
)
from thetahat.values.types import Label

Arrays = dict[str, np.ndarray]


def pack(outcomes: Sequence[SplitOutcome], *, keep_scores: bool = True) -> Arrays:
    """Return arrays that ``unpack`` turns into the same outcomes, bit by bit.

    Labels, cautions and reasons are the bytes of one JSON text. Predictions are packed if every
    outcome has them; scores and probabilities, which only metrics read, may be left out.
    """
    packed = as_outcomes(outcomes)
    splits, predictions = packed.splits, packed.list_predictions()
    words = {
        "labels": _encode_labels(splits.labels),
        "cautions": [[at, list_stored(cautions)] for at, cautions in packed.cautions.items()],
        "why_plain": list(packed.fit_reason.items()),
    }
    return {
        "repeat": splits.repeat,
        "block": splits.block,
        "n_train": splits.n_train,
        "n_test": splits.n_test,
        "test": splits.test,
        "losses": packed.losses,
        "words": np.frombuffer(json.dumps(words).encode(), dtype=np.uint8),
        **{name: part for name, part in predictions.items() if keep_scores or name == "output"},
    }


def unpack(arrays: Mapping[str, np.ndarray]) -> Outcomes:
    """Return the outcomes that ``pack`` turned into these arrays."""
    words = json.loads(arrays["words"].tobytes())
    labels = words["labels"]
    splits = SplitTable(
        repeat=arrays["repeat"],
        block=arrays["block"],
        labels=range(*labels["range"]) if isinstance(labels, dict) else labels,
        n_train=arrays["n_train"],
        n_test=arrays["n_test"],
        test=arrays["test"],
    )
    predictions = {name: arrays[name] for name in PREDICTION_FIELDS if name in arrays}
    return Outcomes(
        splits=splits,
        losses=arrays["losses"],
        cautions={at: restore_all(cautions) for at, cautions in words["cautions"]},
        fit_reason=dict(words["why_plain"]),
        **predictions,
    )


def _encode_labels(labels: Sequence[Label]) -> list[Label] | dict[str, list[int]]:
    """Return labels as JSON values; a range as its two ends."""
    if isinstance(labels, range):
        return {"range": [labels.start, labels.stop]}
    return list(labels)
