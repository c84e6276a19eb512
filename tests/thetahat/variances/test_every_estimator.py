"""What holds for every variance estimator of the registry."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.naive.loss_matrices import block_rows, losses_of
from thetahat.block_losses import BlockLosses
from thetahat.errors import EvaluationError, InsufficientData
from thetahat.layout import Layout, layout_of, layout_of_scores
from thetahat.references import REFERENCES
from thetahat.types import BlockKind, MeanKind, Needs, Target
from thetahat.variances import VARIANCES
from thetahat.variances.base import VarianceEstimate
from thetahat.variances.quadratic import Coefficients, Quadratic

EXAMPLES = settings(max_examples=settings().max_examples // 5)  # times 20 methods and kinds
EVERY = pytest.mark.parametrize("name", VARIANCES)
ROWS = np.random.default_rng(17).gamma(2.0, size=(4, 5)).tolist()
FITS = [(name, kind) for name in VARIANCES for kind in VARIANCES[name].info.blocks]
EVERY_FIT = pytest.mark.parametrize(("name", "kind"), FITS, ids=[f"{n}-{k}" for n, k in FITS])
SPEC = {  # the names that SPEC section 2 and METHODS give, by what a block is
    BlockKind.RANDOM: "theta_1 theta_2 theta_3 theta_4 theta_5 quadratic nadeau_bengio bayle_within"
    " bayle_all_pairs cluster_robust",
    BlockKind.SOURCE: "theta_omega_k theta_gamma_kl theta_omega theta_gamma theta_A theta_B"
    " quadratic nadeau_bengio cluster_robust",
    BlockKind.HOLDOUT: "iid cluster_robust",
}


def method_of(name: str, kind: BlockKind, n_blocks: int = 4) -> Any:
    if name != "quadratic":
        return VARIANCES[name]()
    if kind is BlockKind.RANDOM:
        return Quadratic(bias=(0, 1, -2))
    k = n_blocks
    return Quadratic(coefficients=Coefficients(a=(1.0,) * k, b=(-1.0,) * k, c=((0.0,) * k,) * k))


def some_losses(kind: BlockKind, rows: list[list[float]] | None = None) -> BlockLosses:
    rows = ROWS if rows is None else rows
    if kind is BlockKind.HOLDOUT:
        rows = [[e for row in rows for e in row]]
    n = sum(len(row) for row in rows)
    return losses_of(rows, kind, cluster=[i % 3 for i in range(n)])


def estimate_of(name: str, losses: BlockLosses) -> VarianceEstimate:
    kind = losses.layout.kind
    found = method_of(name, kind, losses.layout.n_blocks).estimate(losses)
    assert isinstance(found, VarianceEstimate)
    return found


@pytest.mark.parametrize("kind", BlockKind)
def test_golden_what_is_there_for_each_kind_of_block(kind: BlockKind) -> None:
    there = {name for name in VARIANCES if kind in VARIANCES[name].info.blocks}

    assert there == set(SPEC[kind].split())


@EVERY
def test_golden_only_quadratic_must_be_asked_for(name: str) -> None:
    assert getattr(VARIANCES[name], "by_request_only", False) == (name == "quadratic")


@EVERY
def test_property_describes_itself(name: str) -> None:
    info = VARIANCES[name].info

    for text in (info.title, info.summary, info.formula, info.assumptions, info.errs):
        assert text.strip() == text != ""
    for sentence in (info.summary, info.assumptions, info.errs):
        assert sentence.endswith(".")
    assert info.references
    assert set(info.references) <= set(REFERENCES)
    assert info.blocks
    assert info.targets
    assert Target.NEW_SOURCE not in info.targets or BlockKind.SOURCE in info.blocks
    assert isinstance(info.mean, MeanKind)
    assert info.needs in {Needs.SPLITS, Needs.LOSSES}


@EVERY
def test_property_docstring_names_its_sources(name: str) -> None:
    doc = VARIANCES[name].__doc__ or ""

    assert "Degenerate cases:" in doc
    assert ".. math::" in doc
    for key in VARIANCES[name].info.references:
        assert key in doc.split("Source:")[1]


@EVERY
def test_property_parameters_are_frozen_fields(name: str) -> None:
    method = method_of(name, BlockKind.RANDOM)

    assert dataclasses.is_dataclass(method)
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
        method.info = None  # type: ignore[union-attr]


@EVERY_FIT
def test_property_finite_named_and_repeatable(name: str, kind: BlockKind) -> None:
    losses = some_losses(kind)
    assert method_of(name, kind).inapplicable(losses.layout) is None

    one, two = estimate_of(name, losses), estimate_of(name, losses)

    value = np.asarray(one.value)
    off_diagonal = ~np.eye(4, dtype=bool) if value.ndim == 2 else np.ones(value.shape, dtype=bool)
    assert np.isfinite(value[off_diagonal]).all()
    assert_array_equal(one.value, two.value)
    assert one.target in VARIANCES[name].info.targets
    assert one.mean == VARIANCES[name].info.mean
    macro = one.mean is MeanKind.MACRO
    assert one.estimate == (losses.moments.macro_mean if macro else losses.moments.pooled_mean)
    assert one.degrees_of_freedom is None or one.degrees_of_freedom > 0
    assert not one.usable or (isinstance(one.value, float) and one.value > 0)
    for caution in one.cautions:
        assert caution.code == caution.code.lower()
        assert " " in caution.message


@EVERY_FIT
def test_property_leaves_its_input_alone(name: str, kind: BlockKind) -> None:
    losses = some_losses(kind)
    before = losses.rows.copy()
    losses.rows.setflags(write=False)

    estimate_of(name, losses)

    assert_array_equal(losses.rows, before)


@EVERY_FIT
@EXAMPLES
@given(data=st.data())
def test_property_squared_units(name: str, kind: BlockKind, data: st.DataObject) -> None:
    rows = data.draw(block_rows())
    factor = data.draw(st.sampled_from([-4.0, 0.5, 8.0]))  # powers of two: no rounding
    scaled = [[factor * e for e in row] for row in rows]

    one, two = (estimate_of(name, some_losses(kind, x)) for x in (rows, scaled))

    assert_array_equal(two.value, factor**2 * np.asarray(one.value))
    assert two.estimate == factor * one.estimate
    assert two.usable == one.usable


KEEPS_THE_MEAN = {"theta_1", "theta_omega_k", "theta_gamma_kl"}


@EVERY_FIT
@EXAMPLES
@given(data=st.data())
def test_property_a_constant_changes_nothing(
    name: str, kind: BlockKind, data: st.DataObject
) -> None:
    rows = data.draw(block_rows())
    moved = [[e + 1024 for e in row] for row in rows]  # still exact

    one, two = (estimate_of(name, some_losses(kind, x)) for x in (rows, moved))

    if name in KEEPS_THE_MEAN:
        assert not one.usable
        assert not two.usable
    else:
        assert_array_equal(one.value, two.value)
        assert one.usable == two.usable


@EVERY_FIT
@EXAMPLES
@given(data=st.data())
def test_property_order_does_not_matter(name: str, kind: BlockKind, data: st.DataObject) -> None:
    rows = data.draw(block_rows())
    losses = some_losses(kind, rows)
    layout = losses.layout
    n = layout.n_rows
    order = np.array(data.draw(st.permutations(range(n))))
    split, cluster = layout.split_of_row(), layout.cluster
    assert cluster is not None
    shuffled = BlockLosses(
        layout_of(kind, split[order], cluster=cluster[order]), values=losses.rows[order]
    )

    one, two = np.asarray(estimate_of(name, losses).value), estimate_of(name, shuffled).value

    if one.ndim > 0:  # results follow the labels' first appearance
        at = np.array(shuffled.layout.block_labels)
        one = one[np.ix_(at, at)] if one.ndim == 2 else one[at]
    size = losses.rows.var() + losses.rows.mean() ** 2
    assert_allclose(two, one, rtol=1e-9, atol=1e-12 * size)


def scores_layout(kind: BlockKind) -> Layout:
    return layout_of_scores(kind, np.full(4, 15.0), np.full(4, 5.0), None, 1)


@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SOURCE])
@EVERY
def test_exact_one_score_per_split(name: str, kind: BlockKind) -> None:
    """Methods that need splits alone give the same from scores; the others say what is missing."""
    if kind not in VARIANCES[name].info.blocks:
        return
    layout = scores_layout(kind)
    losses = some_losses(kind)
    by_scores = BlockLosses(layout, scores=losses.moments.means)
    reason = method_of(name, kind).inapplicable(layout)

    if VARIANCES[name].info.needs is Needs.SPLITS:
        assert reason is None
        assert_allclose(
            estimate_of(name, by_scores).value, estimate_of(name, losses).value, rtol=1e-12
        )
    else:
        assert "only one score per split is given" in str(reason)
        with pytest.raises(EvaluationError):
            estimate_of(name, by_scores)


@EVERY
@pytest.mark.parametrize("kind", BlockKind)
def test_invalid_kind_of_block(name: str, kind: BlockKind) -> None:
    if kind in VARIANCES[name].info.blocks:
        return
    reason = method_of(name, kind).inapplicable(some_losses(kind).layout)

    assert f"{name} is for " in reason
    assert f"these are {kind.value} blocks" in reason


NEEDS_NO_PAIRS = {
    "theta_1",
    "theta_3",
    "theta_gamma",
    "theta_gamma_kl",
    "bayle_all_pairs",
    "nadeau_bengio",
    "cluster_robust",
}


@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SOURCE])
@EVERY
def test_degenerate_one_instance_in_a_block(name: str, kind: BlockKind) -> None:
    if kind not in VARIANCES[name].info.blocks:
        return
    losses = losses_of([[1, 2, 4], [5], [3, 1]], kind, cluster=[0, 0, 1, 1, 2, 2])
    method = method_of(name, kind, 3)
    reason = method.inapplicable(losses.layout)

    if name in NEEDS_NO_PAIRS:
        assert reason is None
        assert np.size(method.estimate(losses).value) > 0
    else:
        assert "block 1 has one instance" in reason
        with pytest.raises(EvaluationError, match="has one instance"):
            method.estimate(losses)


@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SOURCE])
@EVERY
def test_invalid_one_block_in_a_repeat(name: str, kind: BlockKind) -> None:
    if kind not in VARIANCES[name].info.blocks or name == "nadeau_bengio":
        return
    layout = layout_of_scores(kind, np.full(3, 15.0), np.full(3, 5.0), 1, 3)
    reason = method_of(name, kind).inapplicable(layout)

    needs_splits = VARIANCES[name].info.needs is Needs.SPLITS
    expected = "at least two blocks" if needs_splits else "one loss per instance"
    assert expected in reason


def test_invalid_between_variance_of_one_block() -> None:
    layout = layout_of_scores(BlockKind.RANDOM, np.full(3, 15.0), np.full(3, 5.0), 1, 3)
    losses = BlockLosses(layout, scores=np.array([0.1, 0.2, 0.3]))

    with pytest.raises(InsufficientData, match="needs two blocks"):
        estimate_of("theta_3", losses)
