"""A field that names one method takes no other name for it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.kinds.run_requests import place_of, run_kind
from thetahat.errors import InvalidParameter

X = [[-1.0], [0.5], [1.0], [2.0], [-0.5], [1.5]]
Y = [0, 1, 1, 1, 0, 1]
CROSS_VALIDATION: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X, "y": Y},
    "task": "classification",
    "learners": {"m": "majority"},
    "scheme": {"name": "k_fold", "params": {"n_folds": 2}},
    "loss": "zero_one",
}
SHIFTED: dict[str, Any] = {"source": {"X": X, "y": Y}, "target": {"X": X}}


def named_again(name: str) -> dict[str, Any]:
    return {"name": name, "as": "other"}


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({**CROSS_VALIDATION, "loss": named_again("zero_one")}, ("loss",)),
        ({**CROSS_VALIDATION, "scheme": named_again("k_fold")}, ("scheme",)),
        (
            {**CROSS_VALIDATION, "target_sample": {"X": X}, "weights": named_again("ulsif")},
            ("weights",),
        ),
        (
            {
                "kind": "predictions",
                "blocks": "holdout",
                "y": Y,
                "predictions": {"m": Y},
                "loss": named_again("zero_one"),
            },
            ("loss",),
        ),
        ({"kind": "weights", **SHIFTED, "weights": named_again("ulsif")}, ("weights",)),
        ({"kind": "importance_weighting", **SHIFTED, "loss": named_again("squared")}, ("loss",)),
        ({"kind": "bootstrap", "sample": [1, 2], "statistic": named_again("mean")}, ("statistic",)),
        (
            {
                "kind": "study",
                "population": {"generator": named_again("two_class_gaussian")},
                "draw": {"n": 30},
                "estimators": [{"scheme": "k_fold", "learner": "nearest_mean"}],
                "repetitions": 2,
            },
            ("population", "generator"),
        ),
    ],
    ids=lambda value: value.get("kind") if isinstance(value, dict) else ".".join(value),
)
def test_invalid_another_name_for_the_only_method(
    body: dict[str, Any], place: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidParameter, match="needs no key") as caught:
        run_kind(body)

    assert place_of(caught.value) == (*place, "as")
