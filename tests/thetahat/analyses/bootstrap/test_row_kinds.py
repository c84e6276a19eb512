"""Rows that are all the same to a statistic are counted together, and no draw changes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.thetahat.statistics.replicating import drawn, sample
from thetahat.analyses.bootstrap import resampling
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.statistics import FunctionalOfKinds, Sample, Statistic
from thetahat.statistics.auc import Auc
from thetahat.statistics.median import Median
from thetahat.statistics.quantile import Quantile

N, B = 2100, 2000  # enough draws for the compiled loops
RNG = np.random.default_rng(20_261_121)
GRADES = RNG.integers(-20, 20, N)
PASSED = RNG.random(N) < 0.5 + GRADES / 60
RARE = np.isin(np.arange(N), [3, 1500])  # one resample in eight has neither


@pytest.mark.parametrize(
    ("statistic", "data"),
    [
        (Auc(), sample(GRADES, PASSED)),
        (Auc(), sample(GRADES, RARE)),
        (Median(), sample(GRADES)),
        (Quantile(q=0.9, definition="hazen"), sample(GRADES / 10)),
        (Quantile(q=1.0), sample(GRADES)),
    ],
)
def test_exact_by_kind_is_row_by_row(
    statistic: Statistic, data: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_kind = drawn(statistic, data, B)
    counted: list[int] = []

    def never(n_kinds: int, n_rows: int) -> bool:
        counted.append(n_kinds * 10000 + n_rows)
        return False

    monkeypatch.setattr(resampling, "few_kinds", never)
    by_row = drawn(statistic, data, B)

    assert counted == [(80 if isinstance(statistic, Auc) else 40) * 10000 + N]
    assert_array_equal(by_kind.scaled, by_row.scaled)
    assert by_kind.n_drawn_again == by_row.n_drawn_again
    assert (by_kind.n_drawn_again > 0) == (data.y is not None and data.y.sum() == 2)


@pytest.mark.parametrize("statistic", [Auc(), Median()])
def test_property_few_resamples_and_errors_are_of_rows(
    statistic: Statistic, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = sample(GRADES, PASSED if isinstance(statistic, Auc) else None)
    assert isinstance(statistic.build_functional(data, fast=True), FunctionalOfKinds)
    few = drawn(statistic, data, 30)
    with_errors = drawn(statistic, data, 30, errors=True)
    monkeypatch.setattr(resampling, "MANY_DRAWS", 0)
    assert_array_equal(drawn(statistic, data, 30).scaled, few.scaled)
    assert_array_equal(with_errors.scaled, few.scaled)


def test_property_many_kinds_are_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(HashedResamples, "counts_by_kind", refused)
    drawn(Median(), sample(RNG.normal(size=N)), B)
