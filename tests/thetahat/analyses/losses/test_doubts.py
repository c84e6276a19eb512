"""What an evaluation says of itself as a whole."""

from __future__ import annotations

import pytest

import thetahat
from tests.thetahat.analyses.losses.tables import evaluated, five_by_nine
from thetahat.analyses.losses import Choices
from thetahat.values.block_losses import LossTable
from thetahat.values.types import Better, BlockKind, Target


def _codes(table: LossTable, correction: str) -> set[str]:
    result = evaluated(table, Choices(correction=correction), 1)
    return {caution["code"] for caution in result["cautions"]}


@pytest.mark.parametrize(("correction", "is_reported"), [("finner", True), ("holm", False)])
def test_exact_a_correction_that_can_be_liberal_has_a_caution(
    correction: str, *, is_reported: bool
) -> None:
    two = five_by_nine(BlockKind.HOLDOUT)
    third = {**two.models, "third": next(iter(two.models.values()))}
    three = LossTable(two.layout, third, loss_range=two.loss_range)
    assert ("correction_can_be_liberal" in _codes(three, correction)) is is_reported
    assert "correction_can_be_liberal" not in _codes(two, correction)


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_exact_equal_block_differences_are_no_evidence_about_new_sources(better: Better) -> None:
    # Each of the four sources differs by one third; the means of three rows are rounded.
    a = [[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0]]
    b = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]]
    result = thetahat.evaluate({"a": a, "b": b}, blocks="source", better=better)
    (pair,) = thetahat.to_json(result)["comparisons"]

    assert Target.NEW_SOURCE.value not in pair["recommended"]
    assert pair["verdict"]["p_value"] is None or pair["verdict"]["p_value"] > 0.05
    assert all((each["standard_error"] or 1) > 1e-9 for each in pair["intervals"])
