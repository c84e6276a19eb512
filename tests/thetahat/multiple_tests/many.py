"""Tables of several models for tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.testing import assert_allclose

from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.multiple_tests.base import OmnibusOutcome
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray

# Demsar (2006), table 6: AUC of C4.5 with and without pruning and cross-validated pruning on 14
# data sets; scipy's own tests hold the same numbers.
DEMSAR_NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
DEMSAR_AUC = (
    (0.763, 0.768, 0.771, 0.798),
    (0.599, 0.591, 0.590, 0.569),
    (0.954, 0.971, 0.968, 0.967),
    (0.628, 0.661, 0.654, 0.657),
    (0.882, 0.888, 0.886, 0.898),
    (0.936, 0.931, 0.916, 0.931),
    (0.661, 0.668, 0.609, 0.685),
    (0.583, 0.583, 0.563, 0.625),
    (0.775, 0.838, 0.866, 0.875),
    (1.000, 1.000, 1.000, 1.000),
    (0.940, 0.962, 0.965, 0.962),
    (0.619, 0.666, 0.614, 0.669),
    (0.972, 0.981, 0.9751, 0.975),
    (0.957, 0.978, 0.946, 0.970),
)


def table_over(layout: Layout, losses: npt.ArrayLike, **rest: Any) -> LossTable:
    """Models m0, m1, ... from (n, k) losses."""
    columns = np.asarray(losses, dtype=np.float64).T
    models = {f"m{j}": BlockLosses(layout, values=c.copy()) for j, c in enumerate(columns)}
    return LossTable(layout, models, **rest)


def by_source(losses: npt.ArrayLike) -> LossTable:
    """One instance in each source: the rows are the losses."""
    n = len(np.asarray(losses))
    return table_over(build_layout(BlockKind.SOURCE, np.arange(n)), losses)


def in_a_holdout(losses: npt.ArrayLike, **layout: Any) -> LossTable:
    n = len(np.asarray(losses))
    return table_over(build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp), **layout), losses)


def demsar() -> LossTable:
    return by_source(-np.array(DEMSAR_AUC))


def tabled() -> FloatArray:
    """Twelve rows of five models: small whole numbers and square roots, so that nothing is tied."""
    whole = np.array(
        [
            [3, 5, 4, 6, 9],
            [2, 2, 3, 5, 4],
            [7, 6, 9, 8, 9],
            [1, 4, 2, 3, 6],
            [5, 5, 4, 9, 8],
            [6, 9, 8, 7, 9],
            [4, 3, 6, 8, 5],
            [8, 9, 7, 9, 12],
            [2, 5, 6, 4, 7],
            [3, 4, 3, 7, 6],
            [5, 8, 6, 9, 11],
            [6, 5, 8, 7, 7],
        ],
        dtype=np.float64,
    )
    losses: FloatArray = whole + np.sqrt(np.arange(60) * 7919 % 101).reshape(12, 5) / 10
    return losses


def outcome_of(name: str, table: LossTable, **parameters: Any) -> OmnibusOutcome:
    method: Any = MULTIPLE_TESTS[name]
    outcome: OmnibusOutcome = method(**parameters).test(table, np.random.default_rng(0))
    return outcome


def details_of(outcome: OmnibusOutcome) -> dict[str, Any]:
    """The fields that an outcome has besides those of every outcome, without their types."""
    return dict(outcome.details)


def codes(outcome: OmnibusOutcome) -> list[str]:
    return [caution.code for caution in outcome.cautions]


def assert_close(actual: Any, expected: Any, *, rtol: float = 1e-12, atol: float = 0) -> None:
    """Compare numbers, the first of which may be typed as None."""
    assert actual is not None
    assert_allclose(actual, expected, rtol=rtol, atol=atol)
