"""Pairs of models for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numpy.testing import assert_allclose

from thetahat.paired_tests.base import PairedLosses, TestOutcome
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray

Numbers = float | Sequence[float] | FloatArray
ScipyWord = Literal["two-sided", "less", "greater"]

ALTERNATIVES = tuple(Alternative)
MIRRORED = {
    Alternative.TWO_SIDED: Alternative.TWO_SIDED,
    Alternative.LESS: Alternative.GREATER,
    Alternative.GREATER: Alternative.LESS,
}
SCIPY_WORDS: dict[Alternative, ScipyWord] = {
    Alternative.TWO_SIDED: "two-sided",
    Alternative.LESS: "less",
    Alternative.GREATER: "greater",
}


def rng_of(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def pair_over(layout: Layout, a: npt.ArrayLike, b: npt.ArrayLike) -> PairedLosses:
    first = BlockLosses(layout, values=np.asarray(a, dtype=np.float64))
    second = BlockLosses(layout, values=np.asarray(b, dtype=np.float64))
    return PairedLosses(first, second, first.minus(second))


def holdout_pair(
    a: Sequence[float] | FloatArray,
    b: Sequence[float] | FloatArray,
    *,
    cluster: Sequence[int] | None = None,
) -> PairedLosses:
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(len(a), dtype=np.intp), cluster=cluster)
    return pair_over(layout, a, b)


def differences_pair(differences: Sequence[float] | FloatArray) -> PairedLosses:
    """A holdout whose paired differences are the given ones, exactly."""
    values = np.asarray(differences, dtype=np.float64)
    return holdout_pair(values, np.zeros(len(values)))


def blocks_pair(
    a: npt.ArrayLike, b: npt.ArrayLike, kind: BlockKind = BlockKind.RANDOM
) -> PairedLosses:
    """Two (K, M) matrices of losses, a row per block."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    block = np.repeat(np.arange(len(first)), first.shape[1])
    if kind is BlockKind.SUBSAMPLES:  # which say nothing of their training parts and instances
        layout = build_layout(kind, block, instance=np.arange(len(block)), n_train=100.0)
        return pair_over(layout, first.ravel(), second.ravel())
    return pair_over(build_layout(kind, block), first.ravel(), second.ravel())


def five_by_two_pair(
    a: npt.ArrayLike, b: npt.ArrayLike, kind: BlockKind = BlockKind.RANDOM
) -> PairedLosses:
    """Two (10, M) matrices of losses, a row per fold, two rows per repeat."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    split = np.repeat(np.arange(10), first.shape[1])
    layout = build_layout(kind, split % 2, repeat=split // 2)
    return pair_over(layout, first.ravel(), second.ravel())


def scores_pair(
    a: Sequence[float] | FloatArray,
    b: Sequence[float] | FloatArray,
    *,
    n_train: float,
    n_test: float,
    n_repeats: int = 1,
    kind: BlockKind = BlockKind.RANDOM,
) -> PairedLosses:
    j = len(a)
    layout = build_score_layout(kind, np.full(j, n_train), np.full(j, n_test), None, n_repeats)
    first = BlockLosses(layout, scores=np.asarray(a, dtype=np.float64))
    second = BlockLosses(layout, scores=np.asarray(b, dtype=np.float64))
    return PairedLosses(first, second, first.minus(second))


def swapped(pair: PairedLosses) -> PairedLosses:
    return PairedLosses(pair.b, pair.a, pair.b.minus(pair.a))


def assert_close(
    actual: Numbers | None,
    expected: Numbers | None,
    *,
    rtol: float = 1e-12,
    atol: float = 0.0,
) -> None:
    """``assert_allclose`` for fields that may be None: neither must be."""
    assert actual is not None
    assert expected is not None
    assert_allclose(actual, expected, rtol=rtol, atol=atol)


def details_of(outcome: TestOutcome) -> dict[str, Any]:
    """The fields that an outcome has besides those of every outcome, without their types."""
    posterior = {} if outcome.posterior is None else asdict(outcome.posterior)
    return {**posterior, **outcome.details}


def codes(outcome_cautions: Sequence[object]) -> set[str]:
    return {str(getattr(caution, "code", "")) for caution in outcome_cautions}
