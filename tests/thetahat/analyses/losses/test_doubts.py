"""What an evaluation says of itself as a whole."""

from __future__ import annotations

import numpy as np
import pytest

import thetahat
from tests.thetahat.analyses.losses.tables import evaluated, five_by_nine
from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.cautions import find_percent
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


FRACTIONS = [0.2, 0.5, 0.75, 0.4, 0.9, 0.35, 0.6, 0.55]
RIGHT = [1, 0, 1, 1, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("a", "b", "is_questioned"),
    [
        (FRACTIONS, [100 * v for v in reversed(FRACTIONS)], True),
        (RIGHT, [100 * v for v in reversed(RIGHT)], True),
        (RIGHT, [100, 0, 0, 0, 0, 0, 0, 0], True),
        (FRACTIONS, [0, 50, 100, 0, 50, 0, 0, 100], True),
        ([1000 * v for v in FRACTIONS], FRACTIONS, True),
        (FRACTIONS, [10 * v for v in FRACTIONS], False),
        (FRACTIONS, [-100 * v for v in FRACTIONS], False),
        (FRACTIONS, [*FRACTIONS[:-1], 80], False),  # one large loss
        ([0] * 8, [40, 50, 60, 70, 80, 90, 30, 20], False),
    ],
)
def test_exact_percent_beside_fractions_are_questioned(
    a: list[float], b: list[float], *, is_questioned: bool
) -> None:
    for better in ("lower", "higher"):
        result = thetahat.to_json(
            thetahat.evaluate({"a": a, "b": b}, blocks="holdout", better=better)
        )
        found = [c for c in result["cautions"] if c["code"] == "scales_differ"]
        assert bool(found) is is_questioned
        assert all(c["severity"] == "serious" for c in found)


@pytest.mark.parametrize(
    ("values", "questioned"),
    [
        ([0.2, 50, 0.75, 40, 0.9, 35, 0.6, 55], ("lower", "higher")),
        ([20, 50, 75, 40, 90, 0.35, 0.6, 0.55], ("lower", "higher")),
        ([1, 0, 1, 100, 0, 100, 1, 100], ("lower", "higher")),
        ([*FRACTIONS[:-1], 80], ("higher",)),  # of losses one may be large
        ([0, 0, 100, 100, 0, 100, 0, 100], ()),
        ([0.2, 50, 0.75, 4, 0.9, 3.5, 6, 55], ()),
        ([0.3, *(100 * v for v in FRACTIONS[:0:-1])], ()),
        ([1, 0, 1, 1, 0, 80, 0, 1], ("higher",)),
        ([1, 0, 20, 40, 0, 80, 0, 35], ()),
        ([-0.2, 50, 0.75, 40, 0.9, 35, 0.6, 55], ()),
        ([0.2, 500, 0.75, 400, 0.9, 350, 0.6, 550], ()),
    ],
)
def test_exact_percent_among_fractions_of_one_model_are_questioned(
    values: list[float], questioned: tuple[str, ...]
) -> None:
    for better in ("lower", "higher"):
        result = thetahat.evaluate({"a": values}, blocks="holdout", better=better)
        found = [c for c in thetahat.to_json(result)["cautions"] if c["code"] == "scales_mixed"]
        assert bool(found) is (better in questioned)


def test_exact_percent_among_fractions_are_named_by_row_and_value() -> None:
    mixed = [0.2, 50, 0.75, 40, 0.9, 35, 0.6, 55]
    result = thetahat.evaluate(
        {"a": FRACTIONS, "b": mixed, "c": mixed[::-1]}, blocks="holdout", better="higher"
    )
    (found,) = (c for c in thetahat.to_json(result)["cautions"] if c["code"] == "scales_mixed")

    assert found["severity"] == "serious"
    assert found["message"] == (
        "'b' is 0.2 in row 0 and 50 in row 1: 4 values are at most 1, and 4 are 35 to 55, as "
        "percent are beside fractions; so it is with 1 more. All were used as they are."
    )
    predicted = thetahat.evaluate_predictions(
        FRACTIONS, {"m": mixed}, loss="squared", blocks="holdout"
    )
    codes = {caution["code"] for caution in thetahat.to_json(predicted)["cautions"]}
    assert "scales_mixed" in codes


def test_property_losses_of_usual_shapes_have_one_scale() -> None:
    rng = np.random.default_rng(20_261_130)
    found = 0
    for k in range(1000):
        n = 8 + k % 100
        lists = (rng.lognormal(0, 1.5, n), rng.gamma(0.5, 10, n), 100 * rng.beta(0.5, 0.5, n))
        found += sum(bool(find_percent(values, 3).any()) for values in lists)
    assert found <= 6


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_exact_scores_in_percent_may_be_as_small_as_fractions(
    better: Better,
) -> None:
    """Of losses, another model may have a small mean and no larger losses than 1."""
    percent = [0.3, *(100 * v for v in FRACTIONS[:0:-1])]

    result = thetahat.evaluate({"a": FRACTIONS, "b": percent}, blocks="holdout", better=better)

    codes = {caution["code"] for caution in thetahat.to_json(result)["cautions"]}
    assert ("scales_differ" in codes) is (better == "higher")


@pytest.mark.parametrize(
    ("truth", "predicted", "is_questioned"),
    [
        ([20, 50, 75, 40, 90, 0, 60, 55], FRACTIONS, True),
        ([0, 0, 100, 100, 0, 100, 0, 100], FRACTIONS, True),
        (FRACTIONS, [20, 50, 75, 40, 90, 35, 60, 55], True),
        (FRACTIONS, FRACTIONS[::-1], False),
        ([-1, 50, 75, 40, 90, 0, 60, 55], FRACTIONS, False),
        # the largest values are 90 and 2.9 or 3.1, and may be apart by 30 times
        ([20, 50, 75, 40, 90, 0, 60, 55], [0.2, 0.5, 0.7, 0.4, 0.9, 0.1, 0.6, 2.9], True),
        ([20, 50, 75, 40, 90, 0, 60, 55], [0.2, 0.5, 0.7, 0.4, 0.9, 0.1, 0.6, 3.1], False),
        ([20, 50, 75, 40, 90, 0, 60, 55], [9, 4, 8, 4, 9, 3, 6, 5], False),  # a poor model
        ([20, 50, 75, 40, 90, 0, 60, 55], [0] * 8, False),
    ],
)
def test_exact_predictions_in_percent_beside_fractions_are_questioned(
    truth: list[float], predicted: list[float], *, is_questioned: bool
) -> None:
    result = thetahat.to_json(
        thetahat.evaluate_predictions(truth, {"m": predicted}, loss="squared", blocks="holdout")
    )
    found = [c["message"] for c in result["cautions"] if c["code"] == "scales_differ"]
    assert bool(found) is is_questioned
    assert all("'true values'" in message and "'m'" in message for message in found)


@pytest.mark.parametrize(("name", "is_alike"), [("a ", True), ("A", True), ("b", False)])
def test_exact_names_of_models_that_look_alike_have_a_caution(name: str, *, is_alike: bool) -> None:
    result = thetahat.to_json(
        thetahat.evaluate({"a": FRACTIONS, name: FRACTIONS[::-1]}, blocks="holdout")
    )
    assert ("labels_alike" in {c["code"] for c in result["cautions"]}) is is_alike
