"""Intervals that go beyond the range of the loss, with and without clipping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

import thetahat
from thetahat.analyses.losses.clipping import caution_beyond_range, clip_interval
from thetahat.analyses.losses.result import Comparison
from thetahat.errors import InvalidParameter
from thetahat.intervals.base import Interval
from thetahat.values.types import Target

RARE = [1.0] + [0.0] * 7
BLOCKS = [RARE, [0.0] * 8, RARE, [0.0] * 8, RARE[::-1]]
"""Three errors in forty, over five random folds."""


def _list_intervals(result: thetahat.EvaluationResult, model: str) -> Iterator[Interval]:
    yield from result.models[model].intervals or ()


def _codes(interval: Interval) -> set[str]:
    return {caution.code for caution in interval.cautions}


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_exact_an_error_rate_below_zero_has_a_caution(scale: float) -> None:
    result = thetahat.evaluate({"m": np.multiply(scale, BLOCKS)}, blocks="random", clip=False)

    recommended = result.models["m"].recommended[Target.THESE_SOURCES]
    assert recommended.lower is not None
    assert recommended.lower < 0
    # losses of 0 and 2 may be of any loss, so their range is not known
    assert ("interval_beyond_range" in _codes(recommended)) is (scale == 1.0)
    others = [i for i in _list_intervals(result, "m") if not i.recommended]
    assert not any("interval_beyond_range" in _codes(interval) for interval in others)


def test_exact_clipped_intervals_have_the_other_caution() -> None:
    result = thetahat.evaluate({"m": BLOCKS}, blocks="random")

    recommended = result.models["m"].recommended[Target.THESE_SOURCES]
    assert recommended.lower == 0
    assert _codes(recommended) >= {"interval_clipped_to_range"}
    assert "interval_beyond_range" not in _codes(recommended)


def test_exact_scores_are_called_scores() -> None:
    result = thetahat.evaluate(
        {"m": np.subtract(1.0, BLOCKS)}, blocks="random", better="higher", clip=False
    )

    recommended = result.models["m"].recommended[Target.THESE_SOURCES]
    (message,) = (c.message for c in recommended.cautions if c.code == "interval_beyond_range")
    assert message.startswith("The interval goes above 1, which the mean score cannot.")


def test_property_a_caution_is_there_just_where_clipping_moves_an_end() -> None:
    result = thetahat.evaluate({"m": BLOCKS}, blocks="random", clip=False)
    for interval in _list_intervals(result, "m"):
        plain = replace(interval, cautions=())
        if plain.lower is None or plain.upper is None:
            continue
        for limits in ((0.0, 1.0), (-9.0, 9.0), (0.0, np.inf)):
            clipped = clip_interval(plain, limits, quantity="loss")
            assert clipped.lower is not None
            assert clipped.upper is not None
            moved = max(clipped.lower - plain.lower, plain.upper - clipped.upper)
            cautioned = caution_beyond_range(plain, limits, quantity="mean loss")
            assert bool(cautioned.cautions) is (moved > 1e-12)


def test_degenerate_an_end_beyond_by_rounding_has_no_caution() -> None:
    result = thetahat.evaluate({"m": BLOCKS}, blocks="random")
    interval = replace(
        result.models["m"].recommended[Target.THESE_SOURCES], lower=-5e-17, upper=1.0, cautions=()
    )
    assert not caution_beyond_range(interval, (0.0, 1.0), quantity="mean loss").cautions


@pytest.mark.parametrize("kind", ["holdout", "random", "source"])
@pytest.mark.parametrize("better", ["lower", "higher"])
def test_gh_33_no_interval_leaves_a_known_range(
    kind: str, better: Literal["lower", "higher"]
) -> None:
    """Reported: an error rate "-0.51 to 4.81" and an accuracy of up to 1.0014."""
    rng = np.random.default_rng(33)
    rates = {"a": 0.03, "b": 0.1}
    if better == "higher":
        rates = {name: 1 - rate for name, rate in rates.items()}
    values = {name: (rng.random(40) < rate).astype(float) for name, rate in rates.items()}
    values["a"][0], values["a"][1] = 0.0, 1.0
    block = None if kind == "holdout" else [i % 5 for i in range(40)]

    result = thetahat.evaluate(values, blocks=kind, block=block, better=better)

    for model in result.models.values():
        for interval in (*(model.intervals or ()), *model.recommended.values()):
            assert interval.lower is None or interval.lower >= 0
            assert interval.upper is None or interval.upper <= 1
    assert any("interval_clipped_to_range" in _codes(i) for i in _list_intervals(result, "a"))
    for pair in result.comparisons:
        assert isinstance(pair, Comparison)
        assert all(
            -1 <= end <= 1 for i in pair.intervals or () for end in (i.lower, i.upper) if end
        )


def test_exact_a_range_of_the_request_is_used_without_clip_and_checked() -> None:
    scores = [0.99, 0.97, 0.999, 0.94, 1.0]
    plain = thetahat.evaluate({"m": scores}, blocks="holdout", better="higher")
    kept = thetahat.evaluate({"m": scores}, blocks="holdout", better="higher", range=(0.0, 1.0))

    (before,), (after,) = (r.models["m"].recommended.values() for r in (plain, kept))
    assert before.upper is not None
    assert before.upper > 1  # numbers between 0 and 1 may be of any scale
    assert (after.lower, after.upper) == (before.lower, 1.0)
    with pytest.raises(InvalidParameter, match="it must be the range that losses can have"):
        thetahat.evaluate({"m": scores}, blocks="holdout", range=(0.0, 0.9))
