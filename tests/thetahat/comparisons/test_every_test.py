"""What holds for every paired test in the registry."""

from __future__ import annotations

import copy
import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thetahat.comparisons.pairs import (
    ALTERNATIVES,
    MIRRORED,
    assert_close,
    blocks_pair,
    pair_over,
    rng_of,
    swapped,
)
from thetahat.comparisons import TESTS
from thetahat.comparisons.base import PairedLosses, TestOutcome
from thetahat.layout import layout_of
from thetahat.references import REFERENCES
from thetahat.types import Alternative, BlockKind

EVERY = pytest.mark.parametrize("name", TESTS)
EVERY_KIND = pytest.mark.parametrize("kind", list(BlockKind))


def some_pair(kind: BlockKind, *, zero_one: bool, seed: int = 81, n: int = 24) -> PairedLosses:
    rng = np.random.default_rng(seed)
    k = 1 if kind is BlockKind.HOLDOUT else 4
    shape = (k, n // k)
    draws = [rng.integers(0, 2 if zero_one else 32, shape) / (1 if zero_one else 32) for _ in "ab"]
    return blocks_pair(draws[0], draws[1], kind)


def outcomes(name: str, kind: BlockKind) -> list[tuple[PairedLosses, Alternative, TestOutcome]]:
    method, found = TESTS[name](), []
    for zero_one in (True,) if name == "mcnemar" else (True, False):
        pair = some_pair(kind, zero_one=zero_one)
        if method.inapplicable(pair.difference.layout) is not None:
            continue
        found += [(pair, way, method.test(pair, way, rng_of())) for way in ALTERNATIVES]
    return found


@EVERY
def test_property_describes_itself(name: str) -> None:
    info = TESTS[name].info

    assert info.name == name
    assert info.title
    assert info.summary.endswith(".")
    assert info.formula
    assert info.assumptions.endswith(".")
    assert info.errs.endswith(".")
    assert info.blocks
    assert info.targets
    assert info.references
    assert list(info.references) == sorted(set(info.references) & set(REFERENCES))


@EVERY
def test_property_is_a_frozen_dataclass_with_defaults(name: str) -> None:
    method = TESTS[name]()

    assert dataclasses.is_dataclass(method)
    assert method == TESTS[name]()
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
        method.info = None


@EVERY
@EVERY_KIND
def test_property_refusals_agree_with_the_declared_blocks(name: str, kind: BlockKind) -> None:
    reason = TESTS[name]().inapplicable(some_pair(kind, zero_one=True).difference.layout)

    if kind in TESTS[name].info.blocks:
        assert reason is None
    else:
        assert reason is not None
        assert name in reason


@EVERY
@EVERY_KIND
def test_property_outcomes_are_plain_numbers(name: str, kind: BlockKind) -> None:
    for _, _, outcome in outcomes(name, kind):
        assert outcome.p_value is not None
        assert 0 <= outcome.p_value <= 1
        assert outcome.statistic is not None
        assert math.isfinite(outcome.statistic)
        assert outcome.unit in {"instance", "cluster", "block"}
        text = json.dumps(
            [outcome.statistic, outcome.p_value, dict(outcome.details)], allow_nan=False
        )
        assert json.loads(text)[1] == outcome.p_value


@EVERY
@EVERY_KIND
def test_property_swapping_the_models_mirrors_the_alternative(name: str, kind: BlockKind) -> None:
    for pair, alternative, outcome in outcomes(name, kind):
        mirrored = TESTS[name]().test(swapped(pair), MIRRORED[alternative], rng_of())

        assert_close(mirrored.p_value, outcome.p_value, rtol=1e-12)


@EVERY
@EVERY_KIND
def test_property_direction_less_means_a_is_better(name: str, kind: BlockKind) -> None:
    method, rng = TESTS[name](), np.random.default_rng(82)
    shape = (1, 40) if kind is BlockKind.HOLDOUT else (8, 5)
    a, b = (rng.random(shape) < 0.1) * 1.0, (rng.random(shape) < 0.7) * 1.0
    pair = blocks_pair(a, b, kind)
    if method.inapplicable(pair.difference.layout) is not None:
        return

    less, greater = (
        method.test(pair, way, rng_of()).p_value for way in (Alternative.LESS, Alternative.GREATER)
    )

    assert less is not None
    assert greater is not None
    assert less < 0.01
    assert greater > 0.9


@EVERY
@EVERY_KIND
def test_property_input_is_left_alone_and_answers_repeat(name: str, kind: BlockKind) -> None:
    pair = some_pair(kind, zero_one=True)
    method = TESTS[name]()
    if method.inapplicable(pair.difference.layout) is not None:
        return
    for losses in (pair.a, pair.b, pair.difference):
        losses.rows.setflags(write=False)
    before = copy.deepcopy(pair.difference.rows)

    first, again = (method.test(pair, Alternative.TWO_SIDED, rng_of(9)) for _ in range(2))

    assert (first.statistic, first.p_value) == (again.statistic, again.p_value)
    assert (pair.difference.rows == before).all()


@EVERY
@given(seed=st.integers(0, 2**32), scale=st.sampled_from([2.0**-20, 0.5, 4.0, 2.0**20]))
@settings(max_examples=15, deadline=None)
def test_property_scale_and_order_do_not_matter(name: str, seed: int, scale: float) -> None:
    if name == "mcnemar":
        return  # its losses are 0 and 1 whatever the scale
    rng, method = np.random.default_rng(seed), TESTS[name]()
    kind = BlockKind.RANDOM if BlockKind.RANDOM in method.info.blocks else BlockKind.SOURCE
    a, b = rng.integers(0, 64, (5, 4)) / 64, rng.integers(0, 64, (5, 4)) / 64
    order = rng.permutation(20)
    block = np.repeat(np.arange(5), 4)
    mixed = pair_over(layout_of(kind, block[order]), a.ravel()[order], b.ravel()[order])

    plain = method.test(blocks_pair(a, b, kind), Alternative.TWO_SIDED, rng_of(1))
    scaled = method.test(blocks_pair(scale * a, scale * b, kind), Alternative.TWO_SIDED, rng_of(1))
    moved = method.test(mixed, Alternative.TWO_SIDED, rng_of(1))

    assert plain.p_value is not None
    assert_close(scaled.p_value, plain.p_value, rtol=1e-12)
    # random sign patterns meet the instances in another order: 5 Monte-Carlo errors of both
    drawn = plain.details.get("method") == "random"
    assert_close(moved.p_value, plain.p_value, rtol=1e-9, atol=0.036 if drawn else 0)
