"""What holds for every variance estimator of the registry."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests.cases import case, each
from tests.thetahat.descriptions import check_description
from tests.thetahat.naive.loss_matrices import block_rows, losses_of, repeats_of
from tests.thetahat.smallest_layouts import SMALLEST, check_refusal, smallest_losses
from thetahat.errors import EvaluationError, InsufficientData
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind, MeanKind, Needs, Target
from thetahat.variances import VARIANCES
from thetahat.variances.base import ResampledVariance, VarianceEstimate
from thetahat.variances.quadratic import Coefficients, Quadratic

EXAMPLES = settings(max_examples=settings().max_examples // 3)  # times 20 methods and kinds
EVERY = pytest.mark.parametrize("name", VARIANCES)
ROWS = np.random.default_rng(17).gamma(2.0, size=(4, 5)).tolist()
FITS = [  # those that use a judge's grades have such samples in files of their own
    (name, kind)
    for name in VARIANCES
    if not VARIANCES[name].info.variance.uses_judge
    for kind in sorted(VARIANCES[name].info.blocks)
]
EVERY_FIT = pytest.mark.parametrize(("name", "kind"), FITS, ids=[f"{n}-{k}" for n, k in FITS])
SPEC = {  # the names that SPEC section 2 and METHODS give, by what a block is
    BlockKind.RANDOM: "theta_1 theta_2 theta_3 theta_4 theta_5 quadratic nadeau_bengio bayle_within"
    " bayle_all_pairs cluster_bootstrap cluster_robust cluster_robust_corrected bouckaert_frank"
    " dietterich_5x2 nadeau_bengio_calibrated bayle_within_calibrated"
    " bayle_all_pairs_calibrated instances_with_allowance",
    BlockKind.SOURCE: "theta_omega_k theta_gamma_kl theta_omega theta_gamma theta_A theta_B"
    " quadratic nadeau_bengio cluster_bootstrap cluster_robust theta_A_clusters theta_B_clusters",
    BlockKind.HOLDOUT: "iid cluster_bootstrap cluster_robust newey_west newey_west_small_sample"
    " block_bootstrap prediction_powered prediction_powered_clusters",
    BlockKind.SUBSAMPLES: "nadeau_bengio nadeau_bengio_calibrated newey_west"
    " newey_west_small_sample block_bootstrap",
}


def method_of(name: str, kind: BlockKind, n_blocks: int = 4) -> Any:
    if name != "quadratic":
        return VARIANCES[name]()
    if kind is BlockKind.RANDOM:
        return Quadratic(bias=(0, 1, -2))
    k = n_blocks
    return Quadratic(coefficients=Coefficients(a=(1.0,) * k, b=(-1.0,) * k, c=((0.0,) * k,) * k))


OF_TIMES = {"newey_west", "newey_west_small_sample", "block_bootstrap"}
REPEATS = {
    "bouckaert_frank": 2,
    "dietterich_5x2": 5,
    "nadeau_bengio_calibrated": 2,
}  # how many a method is given here


def some_losses(
    kind: BlockKind, rows: list[list[float]] | None = None, name: str = ""
) -> BlockLosses:
    """Rows by block; methods of repeats get them several times, dealt out anew in each."""
    rows = ROWS if rows is None else rows
    if name == "bayle_all_pairs_calibrated":  # which is for folds of which one has one instance
        rows = [rows[0][:1], *rows[1:]]
    if name in REPEATS and kind is not BlockKind.SUBSAMPLES:
        flat = np.array([e for row in rows for e in row])
        k = 2 if name == "dietterich_5x2" else len(rows)
        deal_to_folds = [np.roll(flat, 3 * r).tolist() for r in range(REPEATS[name])]
        return repeats_of([[values[i::k] for i in range(k)] for values in deal_to_folds], kind)
    if kind is BlockKind.HOLDOUT:
        rows = [[e for row in rows for e in row]]
    n = sum(len(row) for row in rows)
    if name in OF_TIMES:  # which need ten times
        values = np.resize(rows[0], max(n, 12))
        row = np.arange(len(values))
        block = row * 0 if kind is BlockKind.HOLDOUT else row // 4
        layout = build_layout(kind, block, instance=row, time=row)
        return BlockLosses(layout, values=values)
    return losses_of(rows, kind, cluster=[i % 3 for i in range(n)])


def mean_loss(name: str, losses: BlockLosses) -> VarianceEstimate:
    kind = losses.layout.kind
    estimate = method_of(name, kind, losses.layout.n_blocks).estimate(losses)
    assert isinstance(estimate, VarianceEstimate)
    return estimate


@pytest.mark.parametrize("kind", BlockKind)
def test_exact_methods_for_each_kind_of_block(kind: BlockKind) -> None:
    there = {name for name in VARIANCES if kind in VARIANCES[name].info.blocks}

    assert there == set(SPEC[kind].split())


@EVERY
def test_exact_few_run_by_request_only(name: str) -> None:
    assert VARIANCES[name].info.by_request_only == (name in {"quadratic", "block_bootstrap"})


@EVERY
def test_property_describes_itself(name: str) -> None:
    info = VARIANCES[name].info

    check_description(info, name)
    assert Target.NEW_SOURCE not in info.targets or BlockKind.SOURCE in info.blocks
    assert isinstance(info.mean, MeanKind)
    assert info.needs in {Needs.SPLITS, Needs.LOSSES, Needs.REPEATS}
    assert (info.needs is Needs.REPEATS) == (name in REPEATS)


@EVERY
def test_property_docstring_has_the_degenerate_cases(name: str) -> None:
    assert "Degenerate cases:" in (VARIANCES[name].__doc__ or "")


@EVERY
def test_property_parameters_are_frozen_fields(name: str) -> None:
    method = method_of(name, BlockKind.RANDOM)

    assert dataclasses.is_dataclass(method)
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
        method.info = None  # type: ignore[union-attr]


@EVERY_FIT
def test_property_finite_named_and_repeatable(name: str, kind: BlockKind) -> None:
    losses = some_losses(kind, name=name)
    assert method_of(name, kind).inapplicable(losses.layout) is None

    first, two = mean_loss(name, losses), mean_loss(name, losses)

    value = np.asarray(first.value)
    off_diagonal = ~np.eye(4, dtype=bool) if value.ndim == 2 else np.ones(value.shape, dtype=bool)
    assert np.isfinite(value[off_diagonal]).all()
    assert_array_equal(first.value, two.value)
    assert first.target in VARIANCES[name].info.targets
    assert first.mean == VARIANCES[name].info.mean
    moments = losses.moments
    assert (
        first.estimate
        == {
            MeanKind.MACRO: moments.macro_mean,
            MeanKind.POOLED: moments.pooled_mean,
            MeanKind.FIRST_SPLIT: moments.means[0],
        }[first.mean]
    )
    assert first.degrees_of_freedom is None or first.degrees_of_freedom > 0
    assert not first.usable or (isinstance(first.value, float) and first.value > 0)
    for caution in first.cautions:
        assert caution.code == caution.code.lower()
        assert " " in caution.message


@EVERY_FIT
def test_property_leaves_its_input_alone(name: str, kind: BlockKind) -> None:
    losses = some_losses(kind, name=name)
    before = losses.rows.copy()
    losses.rows.setflags(write=False)

    mean_loss(name, losses)

    assert_array_equal(losses.rows, before)


@EVERY_FIT
@EXAMPLES
@given(data=st.data())
def test_property_squared_units(name: str, kind: BlockKind, data: st.DataObject) -> None:
    rows = data.draw(block_rows())
    factor = data.draw(st.sampled_from([-4.0, 0.5, 8.0]))  # powers of two: no rounding
    scaled = [[factor * e for e in row] for row in rows]

    first, two = (mean_loss(name, some_losses(kind, x, name)) for x in (rows, scaled))

    assert_array_equal(two.value, factor**2 * np.asarray(first.value))
    assert two.estimate == factor * first.estimate
    assert two.usable == first.usable


KEEPS_THE_MEAN = {"theta_1", "theta_omega_k", "theta_gamma_kl"}


@EVERY_FIT
@EXAMPLES
@given(data=st.data())
def test_property_a_constant_changes_nothing(
    name: str, kind: BlockKind, data: st.DataObject
) -> None:
    rows = data.draw(block_rows())
    moved = [[e + 1024 for e in row] for row in rows]  # still exact

    first, two = (mean_loss(name, some_losses(kind, x, name)) for x in (rows, moved))

    if name in KEEPS_THE_MEAN:
        assert not first.usable
        assert not two.usable
    else:
        assert_array_equal(first.value, two.value)
        assert first.usable == two.usable


@EVERY_FIT
@EXAMPLES
@given(data=st.data())
def test_property_order_does_not_matter(name: str, kind: BlockKind, data: st.DataObject) -> None:
    rows = data.draw(block_rows())
    losses = some_losses(kind, rows, name)
    layout = losses.layout
    n = layout.n_rows
    order = np.array(data.draw(st.permutations(range(n))))
    split, cluster = layout.get_split_of_row(), layout.cluster
    mixed = build_layout(
        kind,
        layout.split_block[split][order],
        repeat=layout.split_repeat[split][order],
        cluster=None if cluster is None else cluster[order],
        time=None if layout.time is None else layout.time[order],
        instance=None if layout.instance is None else layout.instance[order],
        n_train=None if layout.n_train is None else layout.n_train[split][order],
    )
    shuffled = BlockLosses(mixed, values=losses.rows[order])

    first, two = np.asarray(mean_loss(name, losses).value), mean_loss(name, shuffled).value

    if first.ndim > 0:  # results follow the labels' first appearance
        at = np.array(shuffled.layout.block_labels)
        first = first[np.ix_(at, at)] if first.ndim == 2 else first[at]
    size = losses.rows.var() + losses.rows.mean() ** 2
    # resamples meet the clusters in another order: 5 Monte-Carlo errors of both, of sqrt(2 / B)
    drawn = isinstance(method_of(name, kind, 3), ResampledVariance)
    assert_allclose(two, first, rtol=0.1 if drawn else 1e-9, atol=1e-12 * size)


def scores_layout(like: Layout) -> Layout:
    assert like.n_train is not None
    return build_score_layout(like.kind, like.n_train, like.n_test, None, like.n_repeats)


@EVERY
@each("kind", [BlockKind.RANDOM, BlockKind.SOURCE])
def test_exact_one_score_per_split(name: str, kind: BlockKind) -> None:
    """Methods that need splits alone give the same from scores; the others say what is missing."""
    if kind not in VARIANCES[name].info.blocks:
        return
    losses = some_losses(kind, name=name)
    layout = scores_layout(losses.layout)
    by_scores = BlockLosses(layout, scores=losses.moments.means)
    reason = method_of(name, kind).inapplicable(layout)

    if VARIANCES[name].info.needs in {Needs.SPLITS, Needs.REPEATS}:
        assert reason is None
        assert_allclose(mean_loss(name, by_scores).value, mean_loss(name, losses).value, rtol=1e-12)
    else:
        assert "the data have one score per split" in str(reason)
        with pytest.raises(EvaluationError):
            mean_loss(name, by_scores)


@EVERY
@each("kind", BlockKind)
def test_invalid_kind_of_block(name: str, kind: BlockKind) -> None:
    if kind in VARIANCES[name].info.blocks:
        return
    reason = method_of(name, kind).inapplicable(some_losses(kind).layout)

    assert f"{name} is for " in reason
    assert f"these are {kind.value} blocks" in reason


NEEDS_NO_PAIRS = {
    "bayle_all_pairs_calibrated",
    "theta_1",
    "theta_3",
    "theta_gamma",
    "theta_gamma_kl",
    "bayle_all_pairs",
    "nadeau_bengio",
    "cluster_bootstrap",
    "cluster_robust",
    "cluster_robust_corrected",
}


@EVERY
@each("kind", [BlockKind.RANDOM, BlockKind.SOURCE])
def test_degenerate_one_instance_in_a_block(name: str, kind: BlockKind) -> None:
    if kind not in VARIANCES[name].info.blocks or name in REPEATS:
        return
    losses = losses_of([[1, 2, 4], [5], [3, 1]], kind, cluster=[0, 0, 1, 1, 2, 2])
    method = method_of(name, kind, 3)
    reason = method.inapplicable(losses.layout)

    if name in NEEDS_NO_PAIRS:
        assert reason is None
        assert np.size(method.estimate(losses).value) > 0
    else:
        unit = "clusters" if name.endswith("_clusters") else "instances"
        block = losses.layout.words.block
        assert f"at least two {unit} in every {block}, and {block} 1 has one" in reason
        with pytest.raises(EvaluationError, match=rf"has one instance|and {block} 1 has one"):
            method.estimate(losses)


@EVERY
def test_degenerate_smallest_layouts(name: str) -> None:
    for at, layout in SMALLEST.items():
        method = method_of(name, layout.kind, layout.n_blocks)
        if (reason := method.inapplicable(layout)) is not None:
            check_refusal(reason, name)
            continue
        for which, losses in smallest_losses(layout).items():
            with case(at, which):
                estimate = method.estimate(losses)
                value = np.asarray(estimate.value)
                off_diagonal = ~np.eye(len(value), dtype=bool) if value.ndim == 2 else ...
                assert np.isfinite(value[off_diagonal]).all()
                assert np.isfinite(estimate.estimate)
                assert estimate.degrees_of_freedom is None or estimate.degrees_of_freedom > 0
                assert not estimate.usable or estimate.value > 0


@EVERY
@each("kind", [BlockKind.RANDOM, BlockKind.SOURCE])
def test_invalid_one_block_in_a_repeat(name: str, kind: BlockKind) -> None:
    if kind not in VARIANCES[name].info.blocks or name == "nadeau_bengio":
        return
    layout = build_score_layout(kind, np.full(3, 15.0), np.full(3, 5.0), 1, 3)
    reason = method_of(name, kind).inapplicable(layout)

    expected = {
        "dietterich_5x2": "exactly 5 repeats of 2 folds (scheme five_by_two), and there are 3 "
        "repeats of 1"
    }
    needs_rows = VARIANCES[name].info.needs is Needs.LOSSES
    usual = "one loss per instance" if needs_rows else "in every repeat, and one has a single"
    assert expected.get(name, usual) in reason


def test_invalid_between_variance_of_one_block() -> None:
    layout = build_score_layout(BlockKind.RANDOM, np.full(3, 15.0), np.full(3, 5.0), 1, 3)
    losses = BlockLosses(layout, scores=np.array([0.1, 0.2, 0.3]))

    with pytest.raises(InsufficientData, match="needs two blocks"):
        mean_loss("theta_3", losses)
