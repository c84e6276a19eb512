"""What holds for every paired test in the registry."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import case, each
from tests.thetahat.descriptions import check_description
from tests.thetahat.paired_tests.pairs import (
    ALTERNATIVES,
    MIRRORED,
    assert_close,
    blocks_pair,
    codes,
    details_of,
    five_by_two_pair,
    pair_over,
    rng_of,
    swapped,
)
from tests.thetahat.smallest_layouts import (
    SMALLEST,
    check_p_value,
    check_plain,
    check_refusal,
    smallest_losses,
)
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.paired_tests._units import unit_target
from thetahat.paired_tests.base import PairedLosses, TestOutcome
from thetahat.registry import PARTITIONS
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, Needs

EVERY = pytest.mark.parametrize("name", PAIRED_TESTS)
EVERY_KIND = each("kind", BlockKind)


def wants_repeats(name: str) -> bool:
    return PAIRED_TESTS[name].info.needs is Needs.REPEATS


def pair_for(name: str, a: npt.ArrayLike, b: npt.ArrayLike, kind: BlockKind) -> PairedLosses:
    """Two (K, M) matrices: a row per block, or two rows per repeat for tests of repeats."""
    if wants_repeats(name) and kind in PARTITIONS:
        return five_by_two_pair(a, b, kind)
    if name == "diebold_mariano" and kind is BlockKind.HOLDOUT:
        n = np.size(a)
        layout = build_layout(kind, np.zeros(n, dtype=np.intp), time=range(n))
        return pair_over(layout, np.ravel(a), np.ravel(b))
    if name == "diebold_mariano" and kind is BlockKind.SUBSAMPLES:
        n_blocks, n_rows = np.shape(a)
        block, n = np.repeat(range(n_blocks), n_rows), n_blocks * n_rows
        layout = build_layout(kind, block, instance=range(n), time=range(n))
        return pair_over(layout, np.ravel(a), np.ravel(b))
    return blocks_pair(a, b, kind)


def is_bayesian(name: str) -> bool:
    return name.startswith("bayesian_")


def numbers_of(outcome: TestOutcome) -> tuple[float | None, ...]:
    """The p-value, or the three shares of a posterior, a's first."""
    if outcome.posterior is not None:
        return tuple(details_of(outcome)[key] for key in ("p_left", "p_rope", "p_right"))
    return (outcome.p_value,)


def some_pair(name: str, kind: BlockKind, *, zero_one: bool) -> PairedLosses:
    rng, n = np.random.default_rng(81), 24
    k = 1 if kind is BlockKind.HOLDOUT else 10 if wants_repeats(name) else 4
    shape = (k, n if k == 10 else n // k)
    draws = [rng.integers(0, 2 if zero_one else 32, shape) / (1 if zero_one else 32) for _ in "ab"]
    return pair_for(name, draws[0], draws[1], kind)


def outcomes(name: str, kind: BlockKind) -> list[tuple[PairedLosses, Alternative, TestOutcome]]:
    method, results = PAIRED_TESTS[name](), []
    for zero_one in (True,) if name == "mcnemar" else (True, False):
        pair = some_pair(name, kind, zero_one=zero_one)
        if method.inapplicable(pair.difference.layout) is not None:
            continue
        results += [(pair, way, method.test(pair, way, rng_of())) for way in ALTERNATIVES]
    return results


@EVERY
def test_property_describes_itself(name: str) -> None:
    check_description(PAIRED_TESTS[name].info, name)


@EVERY
def test_property_is_a_frozen_dataclass_with_defaults(name: str) -> None:
    method = PAIRED_TESTS[name]()

    assert dataclasses.is_dataclass(method)
    assert method == PAIRED_TESTS[name]()
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
        method.info = None


@EVERY
@EVERY_KIND
def test_property_refusals_agree_with_the_declared_blocks(name: str, kind: BlockKind) -> None:
    reason = PAIRED_TESTS[name]().inapplicable(
        some_pair(name, kind, zero_one=True).difference.layout
    )

    if kind in PAIRED_TESTS[name].info.blocks:
        assert reason is None
    else:
        assert reason is not None
        assert name in reason


@EVERY
@EVERY_KIND
def test_property_outcomes_are_plain_numbers(name: str, kind: BlockKind) -> None:
    for pair, way, outcome in outcomes(name, kind):
        text = json.dumps(
            [outcome.statistic, outcome.p_value, details_of(outcome)], allow_nan=False
        )
        assert json.loads(text)[1] == outcome.p_value
        assert outcome.unit in {"instance", "cluster", "block"}
        assert outcome.target in PAIRED_TESTS[name].info.targets
        if name != "theta_t":  # whose target is that of its variance
            assert outcome.target is unit_target(pair.difference.layout, outcome.unit)
        if is_bayesian(name):
            assert (outcome.statistic, outcome.p_value) == (None, None)
            assert_close(sum(numbers_of(outcome)), 1.0, rtol=1e-9)  # type: ignore[arg-type]
            continue
        assert outcome.statistic is not None
        assert math.isfinite(outcome.statistic)
        if name == "five_by_two_f" and way is not Alternative.TWO_SIDED:
            assert outcome.p_value is None  # an F test has no direction, and says so
            assert "no_direction" in codes(outcome.cautions)
            continue
        assert outcome.p_value is not None
        assert 0 <= outcome.p_value <= 1


@EVERY
@EVERY_KIND
def test_property_swapping_the_models_mirrors_the_alternative(name: str, kind: BlockKind) -> None:
    for pair, alternative, outcome in outcomes(name, kind):
        mirrored = PAIRED_TESTS[name]().test(swapped(pair), MIRRORED[alternative], rng_of())
        numbers = numbers_of(mirrored)[:: -1 if is_bayesian(name) else 1]

        # simulated shares see other draws: 5 Monte-Carlo errors of both
        error = 7 * (details_of(outcome).get("monte_carlo_error") or 0.0)
        for ours, expected in zip(numbers, numbers_of(outcome), strict=True):
            assert (ours is None) == (expected is None)
            if ours is not None:
                assert_close(ours, expected, rtol=1e-12, atol=max(error, 1e-13))


@EVERY
@EVERY_KIND
def test_property_direction_less_means_a_is_better(name: str, kind: BlockKind) -> None:
    method, rng = PAIRED_TESTS[name](), np.random.default_rng(82)
    shape = (1, 40) if kind is BlockKind.HOLDOUT else (10, 20) if wants_repeats(name) else (8, 5)
    a, b = (rng.random(shape) < 0.1) * 1.0, (rng.random(shape) < 0.7) * 1.0
    pair = pair_for(name, a, b, kind)
    if method.inapplicable(pair.difference.layout) is not None:
        return

    less, greater = (
        method.test(pair, way, rng_of()).p_value for way in (Alternative.LESS, Alternative.GREATER)
    )

    if is_bayesian(name):  # p_left is the share of a being better
        shares = numbers_of(method.test(pair, Alternative.TWO_SIDED, rng_of()))
        less, greater = shares[2], shares[0]
    elif name == "five_by_two_f":
        return  # it has no direction
    assert less is not None
    assert greater is not None
    assert less < 0.01
    assert greater > 0.9


@EVERY
@EVERY_KIND
def test_property_input_is_left_alone_and_answers_repeat(name: str, kind: BlockKind) -> None:
    pair = some_pair(name, kind, zero_one=True)
    method = PAIRED_TESTS[name]()
    if method.inapplicable(pair.difference.layout) is not None:
        return
    for losses in (pair.a, pair.b, pair.difference):
        losses.rows.setflags(write=False)
    before = copy.deepcopy(pair.difference.rows)

    first, again = (method.test(pair, Alternative.TWO_SIDED, rng_of(9)) for _ in range(2))

    assert (first.statistic, *numbers_of(first)) == (again.statistic, *numbers_of(again))
    assert (pair.difference.rows == before).all()


@EVERY
@EVERY_KIND
def test_degenerate_constant_differences_have_the_p_value_of_a_sign_test_or_none(
    name: str, kind: BlockKind
) -> None:
    method = PAIRED_TESTS[name]()
    for k, m in ((2, 1), (2, 5), (5, 1), (10, 3), (30, 1)):
        rows, columns = (1, k * m) if kind is BlockKind.HOLDOUT else (k, m)
        if wants_repeats(name) and rows != 10:
            continue
        b = np.zeros((rows, columns))
        for shift in (1.0, 0.0):
            pair = pair_for(name, b + shift, b, kind)
            if method.inapplicable(pair.difference.layout) is not None:
                continue
            for way in ALTERNATIVES:
                p_value = method.test(pair, way, rng_of()).p_value
                with case(k, m, shift, way):
                    # McNemar's mid-p test counts the table by half
                    least = 2.0 ** -(k * m) * (1 if name == "mcnemar" else 2)
                    least /= 1 if way is Alternative.TWO_SIDED else 2
                    assert p_value is None or p_value >= (least if shift else 1) * (1 - 1e-9)


@EVERY
def test_degenerate_smallest_layouts(name: str) -> None:
    method = PAIRED_TESTS[name]()
    for at, layout in SMALLEST.items():
        if (reason := method.inapplicable(layout)) is not None:
            check_refusal(reason, name)
            continue
        losses = smallest_losses(layout)
        for first, second in combinations_with_replacement(losses, 2):
            if name == "mcnemar" and {first, second} - {"zeros", "ones", "zeros and ones"}:
                continue  # it takes losses of 0 and 1
            with case(at, first, second):
                a, b = losses[first], losses[second]
                pair = PairedLosses(a, b, a.minus(b))
                for way in ALTERNATIVES:
                    outcome = method.test(pair, way, rng_of())
                    check_plain(outcome.statistic, details_of(outcome))
                    check_p_value(outcome.p_value)
                    assert is_bayesian(name) == (outcome.posterior is not None)


@EVERY
@given(seed=st.integers(0, 2**32), scale=st.sampled_from([2.0**-20, 0.5, 4.0, 2.0**20]))
@settings(max_examples=15, deadline=None)
def test_property_scale_and_order_do_not_matter(name: str, seed: int, scale: float) -> None:
    if name == "mcnemar":
        return  # its losses are 0 and 1 whatever the scale
    rng, method = np.random.default_rng(seed), PAIRED_TESTS[name]()
    kinds = (BlockKind.RANDOM, BlockKind.SOURCE, BlockKind.HOLDOUT)
    kind = next(kind for kind in kinds if kind in method.info.blocks)
    k = 10 if wants_repeats(name) else 5
    a, b = rng.integers(0, 64, (k, 4)) / 64, rng.integers(0, 64, (k, 4)) / 64
    start = pair_for(name, a, b, kind)
    layout = start.difference.layout
    split, order = layout.get_split_of_row(), rng.permutation(4 * k)
    if wants_repeats(name):  # which repeat and which fold come first may matter
        order = order[np.argsort(split[order], kind="stable")]
    mixed = build_layout(
        kind,
        layout.split_block[split][order],
        repeat=layout.split_repeat[split][order],
        time=None if layout.time is None else layout.time[order],
    )
    way = Alternative.TWO_SIDED

    plain = method.test(start, way, rng_of(1))
    scaled = method.test(pair_for(name, scale * a, scale * b, kind), way, rng_of(1))
    moved = method.test(pair_over(mixed, a.ravel()[order], b.ravel()[order]), way, rng_of(1))

    # random sign patterns meet the instances in another order: 5 Monte-Carlo errors of both
    drawn = details_of(plain).get("method") == "random"
    for i, expected in enumerate(numbers_of(plain)):
        assert_close(numbers_of(scaled)[i], expected, rtol=1e-12)
        assert_close(numbers_of(moved)[i], expected, rtol=1e-9, atol=0.036 if drawn else 1e-13)
