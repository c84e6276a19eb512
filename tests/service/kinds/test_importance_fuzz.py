"""Awkward samples and every choice of the request: an answer, or a refusal in words."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.kinds.run_requests import run_kind
from tests.service.kinds.shifted_samples import BODY
from thetahat.errors import EvaluationError
from thetahat.importance_weights import IMPORTANCE_WEIGHTS
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_service.errors import InvalidRequest

FEATURES: list[list[list[float]]] = [
    [[0.0, 0.0]] * 30,
    [[1e140, 1.0]] * 30,
    [[1e139 * i, 1.0] for i in range(-15, 15)],
    [[float(i), 1e-140 * i] for i in range(30)],
    [[1.0, float(i % 2)] for i in range(30)],
]
COLUMNS: dict[str, list[list[Any]]] = {
    "weight": [[1e140] * 30, [0.0] * 29 + [1.0], [1e100] + [1e-100] * 29],
    "y": [["a", "b"] * 15, [True, False] * 15, [1] * 29 + [-1], ["a", "b", "c"] * 10],
    "fold": [[0] * 29 + [1], list(range(30)), ["p", "q"] * 15],
    "source": [["s"] * 10 + ["t"] * 19 + ["u"]],
}
CHOICES: dict[str, list[Any]] = {
    "weights": list(IMPORTANCE_WEIGHTS),
    "weights_from": ["all", "training"],
    "weighted_fit": [True, False],
    "n_folds": [2, 15],
    "loss": ["quadratic_margin", "zero_one", "hinge"],
    "risks": [list(WEIGHTED_RISKS), [{"name": "controlled", "params": {"beta_from": "fold"}}]],
    "learner": ["ridge", "least_squares", "majority", "gaussian_naive_bayes"],
    "grid": [{"penalty": [0, 1e300]}, {"penalty": [1e-300, 1]}, {}],
    "intercept": [True, False],
}


def some(values: dict[str, list[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a few of the fields, each with one of its values."""
    fields = [
        st.tuples(st.just(name), st.sampled_from(choices)) for name, choices in values.items()
    ]
    return st.lists(st.one_of(fields), max_size=4).map(dict)


@settings(max_examples=50, deadline=None)
@given(choices=some(CHOICES), columns=some(COLUMNS), X=st.sampled_from([None, *FEATURES]))
def test_property_an_answer_or_a_refusal(
    choices: dict[str, Any], columns: dict[str, Any], X: list[list[float]] | None
) -> None:
    source = {**BODY["source"], **columns} | ({"X": X} if X else {})
    target = {"X": BODY["target"]["X"]} if "y" in columns else BODY["target"]
    with suppress(EvaluationError, InvalidRequest):
        result = run_kind({**BODY, **choices, "source": source, "target": target}).result
        for risk in result["risks"].values():
            assert np.isfinite(risk["curve"]).all()
            assert risk["curve"][risk["selected_index"]] == risk["estimate"]
