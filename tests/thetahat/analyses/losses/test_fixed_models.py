"""Models that were not trained on the sources they are tested on: the tasks of a benchmark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.losses.tables import evaluated
from thetahat.analyses.losses import Choices
from thetahat.errors import InvalidParameter
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

TASKS = np.repeat(["law", "maths", "poems"], [4, 5, 6]).tolist()
ROWS = {m: np.random.default_rng(i).random(15) for i, m in enumerate("ab")}


def _result(n_train: float | None) -> dict[str, Any]:
    layout = build_layout(BlockKind.SOURCE, TASKS, n_train=n_train)
    table = LossTable(layout, {m: BlockLosses(layout, values=v) for m, v in ROWS.items()})
    return evaluated(table, Choices(), 1)


def _recommended(result: dict[str, Any], target: str) -> dict[str, Any]:
    intervals = result["models"]["a"]["intervals"]
    (interval,) = (i for i in intervals if i["recommended"] and i["target"] == target)
    return dict(interval)


def test_exact_stratified_error_is_recommended() -> None:
    """(1/9) sum V_k / M_k, the textbook variance of a stratified mean of equal weights."""
    result = _result(0)
    parts = np.split(ROWS["a"], [4, 9])
    value = sum(float(part.var(ddof=1)) / len(part) for part in parts) / 9
    interval = _recommended(result, "these_sources")
    assert (interval["method"], interval["variance"]) == ("student_t", "theta_A")
    assert_allclose(interval["standard_error"] ** 2, value, rtol=1e-12)
    assert interval["cautions"] == []
    assert _recommended(result, "new_source")["variance"] == "theta_gamma"


def test_exact_missing_training_sizes_have_a_caution_and_omit_methods() -> None:
    result = _result(0)
    assert "no_training_variance" in {c["code"] for c in result["cautions"]}
    assert "few_blocks" in {c["code"] for c in result["cautions"]}
    reasons = {entry["name"]: entry["reason"] for entry in result["not_applicable"]}
    assert "n_train" in reasons["nadeau_bengio"]
    gamma = result["models"]["a"]["variances"]["theta_gamma"]
    assert "liberal_if_blocks_covary" not in {c["code"] for c in gamma["cautions"]}


def test_limit_trained_models_keep_their_rule_and_their_numbers() -> None:
    trained, fixed = _result(None), _result(0)
    assert _recommended(trained, "these_sources")["variance"] == "theta_B"
    for name in ("theta_A", "theta_B", "theta_gamma"):
        a, b = (r["models"]["a"]["variances"][name]["value"] for r in (trained, fixed))
        assert a == b


@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SUBSAMPLES])
def test_invalid_blocks_that_only_training_makes(kind: BlockKind) -> None:
    with pytest.raises(InvalidParameter, match="n_train 0") as caught:
        build_layout(kind, TASKS, n_train=0)
    assert caught.value.loc == ("n_train",)


def test_exact_zero_is_what_a_holdout_has_anyway() -> None:
    assert build_layout(BlockKind.HOLDOUT, [0] * 5, n_train=0).n_train is None
