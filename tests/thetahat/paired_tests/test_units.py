"""What the sign, rank and permutation tests pair."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.thetahat.paired_tests.pairs import (
    assert_close,
    blocks_pair,
    codes,
    differences_pair,
    holdout_pair,
    pair_over,
    scores_pair,
)
from thetahat.paired_tests._units import (
    PairedUnits,
    batch_units,
    choose_unit,
    count_units,
    reason_against_unit,
    unit_cautions,
    unit_target,
)
from thetahat.paired_tests.base import PairedLosses, build_batch
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind, Target, UnitName

RANDOM, SOURCE, HOLDOUT = BlockKind.RANDOM, BlockKind.SOURCE, BlockKind.HOLDOUT


def units_of(pair: PairedLosses, unit: UnitName | None) -> PairedUnits:
    """Return the units of a batch of one pair."""
    return batch_units(build_batch(pair), unit)


def layout(kind: BlockKind, **columns: list[int]) -> Layout:
    block = [0, 0, 0, 0] if kind is HOLDOUT else [0, 0, 1, 1]
    return build_layout(kind, block, **columns)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "clusters", "unit"),
    [
        (RANDOM, False, "instance"),
        (RANDOM, True, "cluster"),
        (HOLDOUT, False, "instance"),
        (HOLDOUT, True, "cluster"),
        (SOURCE, False, "block"),
        (SOURCE, True, "block"),
    ],
)
def test_exact_default_unit(kind: BlockKind, clusters: bool, unit: str) -> None:  # noqa: FBT001 - a table's column
    blocks = layout(kind, cluster=[0, 1, 0, 1]) if clusters else layout(kind)

    assert choose_unit(blocks, None) == unit
    assert reason_against_unit("sign", blocks, None) is None
    assert choose_unit(blocks, "instance") == "instance"


@pytest.mark.parametrize(
    ("kind", "unit", "target"),
    [
        (SOURCE, "block", Target.NEW_SOURCE),
        (RANDOM, "block", Target.THESE_SOURCES),
        (HOLDOUT, "instance", Target.THESE_MODELS),
        (RANDOM, "cluster", Target.THESE_MODELS),
        (SOURCE, "instance", Target.THESE_MODELS),
    ],
)
def test_exact_target_of_independent_units(kind: BlockKind, unit: UnitName, target: Target) -> None:
    assert unit_target(layout(kind), unit) is target


def test_by_hand_units() -> None:
    a, b = [1.0, 2.0, 3.0, 5.0, 9.0], [0.0] * 5
    clusters = holdout_pair(a, b, cluster=[3, 4, 3, 3, 4])
    sources = pair_over(build_layout(SOURCE, ["y", "x", "y", "x", "x"]), a, b)

    by_cluster, by_block = units_of(clusters, None), units_of(sources, None)

    assert_close(by_cluster.values[0], [3, 5.5])
    assert_close(by_cluster.weights, [0.6, 0.4])
    assert_close(by_block.values[0], [2, 16 / 3])
    assert_close(by_block.weights, [0.5, 0.5])
    assert (by_cluster.n_units, by_block.n_units) == (2, 2)


def test_by_hand_instances_are_averaged_over_repeats() -> None:
    blocks = build_layout(
        RANDOM,
        [0, 0, 1, 1, 0, 0, 1, 1],
        repeat=[0] * 4 + [1] * 4,
        instance=[1, 2, 3, 4, 4, 1, 2, 3],
    )
    pair = pair_over(blocks, [1, 2, 3, 4, 8, 5, 6, 7], [0] * 8)

    units = units_of(pair, None)

    assert_close(units.values[0], [3, 4, 5, 6])  # (1+5)/2, (2+6)/2, (3+7)/2, (4+8)/2
    assert count_units(blocks, "instance") == 4


def test_exact_sources_are_averaged_over_repeats() -> None:
    blocks = build_layout(SOURCE, [0, 1, 0, 1], repeat=[0, 0, 1, 1])

    units = units_of(pair_over(blocks, [1, 2, 5, 8], [0, 0, 0, 0]), None)

    assert_close(units.values[0], [3, 5])


def test_exact_scores_of_blocks_keep_their_order() -> None:
    pair = scores_pair([1, 2, 4], [0, 0, 0], n_train=8, n_test=4, kind=SOURCE)

    assert_array_equal(units_of(pair, None).values[0], [1, 2, 4])


def test_exact_rounding_of_losses_is_no_difference() -> None:
    a, b = [0.3, 0.7, 1e9 + 0.5], [0.1 + 0.2, 0.7 + 1e-13, 1e9]

    units = units_of(holdout_pair(a, b), None)

    assert units.values[0, 0] == 0  # 0.3 - (0.1 + 0.2) is -5.6e-17
    assert units.values[0, 1] < 0
    assert units.values[0, 2] == 0.5
    assert units.n_zeros[0] == 1


REFUSALS: list[tuple[Layout, UnitName | None, str]] = [
    (layout(HOLDOUT), "block", "a holdout is one"),
    (layout(HOLDOUT), "cluster", "cluster column"),
    (build_score_layout(RANDOM, np.full(4, 9.0), np.full(4, 3.0), None, 1), None, "one score per"),
    (build_score_layout(RANDOM, np.full(4, 9.0), np.full(4, 3.0), 2, 2), "block", "2 repeats"),
    (layout(RANDOM, repeat=[0, 1, 0, 1]), None, "instance column"),
]


@pytest.mark.parametrize(("blocks", "unit", "words"), REFUSALS)
def test_invalid_units_are_refused_in_words(
    blocks: Layout, unit: UnitName | None, words: str
) -> None:
    reason = reason_against_unit("sign", blocks, unit)

    assert reason is not None
    assert reason.startswith("sign by ")
    assert words in reason


def test_exact_numbers_of_units() -> None:
    blocks = layout(SOURCE, cluster=[5, 6, 7, 7])

    assert count_units(blocks, "block") == 2
    assert count_units(blocks, "cluster") == 3
    assert count_units(blocks, "instance") == 4


def caution_codes(pair_kind: BlockKind, unit: UnitName) -> set[str]:
    rng = np.random.default_rng(41)
    pair = blocks_pair(rng.random((7, 7)), rng.random((7, 7)), pair_kind)
    units = units_of(pair, unit)
    n_different = units.n_units - int(units.n_zeros[0])
    return codes(unit_cautions(pair.difference.layout, units.unit, n_different))


def test_exact_cautions_by_kind_and_unit() -> None:
    assert caution_codes(RANDOM, "instance") == {"ignores_training_variance"}
    assert caution_codes(RANDOM, "block") == {"ignores_training_overlap"}
    assert caution_codes(SOURCE, "instance") == {"instances_share_a_source"}
    assert caution_codes(SOURCE, "block") == set()


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([0, 0, 0], "no_difference"),
        ([1, 2, -3, 4, 5, 0], "few_units"),
        ([1, 2, -3, 4, 5, 6], None),
    ],
)
def test_degenerate_few_or_no_differences(differences: list[float], expected: str | None) -> None:
    pair = differences_pair(differences)

    units = units_of(pair, None)
    n_different = units.n_units - int(units.n_zeros[0])
    cautions = unit_cautions(pair.difference.layout, units.unit, n_different)

    assert codes(cautions) == (set() if expected is None else {expected})
    if expected == "few_units":
        assert "0.0625" in cautions[0].message  # 2 / 2^5
