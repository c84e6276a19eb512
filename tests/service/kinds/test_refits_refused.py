from __future__ import annotations

from typing import Any

import pytest

from tests.service.kinds.run_requests import place_of, run_kind
from tests.service.kinds.test_refits import BODY
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.fitting import refits as _refits


@pytest.mark.parametrize(
    ("change", "loc", "match"),
    [
        ({"variances": ["nowhere"]}, ("variances", 0, "name"), "austern_zhou, bates_nested_cv"),
        ({"intervals": ["conservative_z"]}, ("intervals", 0, "name"), "not one of the intervals"),
        (
            {"variances": ["iid", {"name": "out_of_bag", "params": {"average": "no"}}]},
            ("variances", 1, "params", "average"),
            "'instance' or 'split'",
        ),
        (
            {"variances": [{"name": "bates_nested_cv", "params": {"n_folds": 99}}]},
            ("variances", 0, "params"),
            "99 folds needs at least 99 rows",
        ),
        (
            {"variances": [{"name": "conservative_z", "params": {"test_size": 0.5}}]},
            ("variances", 0, "params", "test_size"),
            "leaves no training rows in half",
        ),
        ({"variances": ["out_of_bag", "out_of_bag"]}, ("variances", 1), "named twice"),
        (
            {"data": {**BODY["data"], "source": ["a", "b"] * 20}},
            ("variances", 1),
            "these data have sources",
        ),
        (
            {"data": {**BODY["data"], "cluster": ["a", "b"] * 20}},
            ("variances", 1),
            "these data have clusters",
        ),
        (
            {"data": {**BODY["data"], "time": list(range(40))}},
            ("variances", 1),
            "the rows of these data have times",
        ),
    ],
)
def test_invalid_requests_say_where(
    change: dict[str, Any], loc: tuple[Any, ...], match: str
) -> None:
    with pytest.raises((EvaluationError, InvalidRequest), match=match) as caught:
        run_kind({**BODY, **change})

    assert place_of(caught.value) == loc


def test_invalid_too_many_losses_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_refits, "MOST_LOSSES", 1000)

    with pytest.raises(InvalidParameter, match="extra losses"):
        run_kind(BODY)


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "losses", "blocks": "random", "losses": {"a": [[0.0, 1.0], [1.0, 0.0]]}},
        {
            "kind": "predictions",
            "blocks": "holdout",
            "y": [0, 1],
            "predictions": {"a": [0, 1]},
            "loss": "zero_one",
        },
    ],
    ids=["losses", "predictions"],
)
def test_invalid_kinds_without_learners_say_which_kind_has_them(body: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedCombination, match="Use the kind 'cross_validation'") as caught:
        run_kind({**body, "intervals": ["normal", "bates_nested_cv"]})

    assert caught.value.loc == ("intervals", 1)
