from __future__ import annotations

import math

import numpy as np
import pytest

from tests.thetahat.schemes.some_rows import drawn
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.bootstrap import BootstrapScheme


@pytest.mark.outside("Efron (1983): the chance of a row to be in a resample is .632 for large n")
def test_calibrated_share_out_of_bag() -> None:
    """(1 - 1/n)^n of 50 rows, .3642; 400 resamples, 4 Monte-Carlo errors (1 seed in 16 000)."""
    splits = list(BootstrapScheme(n_resamples=400).splits(Rows(n=50), 3))

    out = np.array([len(s.test) for s in splits]) / 50
    assert abs(out.mean() - (1 - 1 / 50) ** 50) < 4 * out.std(ddof=1) / math.sqrt(400)
    assert abs(out.mean() - 0.368) < 0.02


def test_exact_a_training_part_has_as_many_rows_as_the_data() -> None:
    for split in BootstrapScheme(n_resamples=20).splits(Rows(n=13), 4):
        assert len(split.train) == 13
        assert split.n_train == len(np.unique(split.train)) == 13 - len(split.test)
        assert {*split.train.tolist(), *split.test.tolist()} == set(range(13))
        assert split.repeat == 0
        assert split.label == split.block


def test_calibrated_rows_are_drawn_evenly() -> None:
    """A row is drawn once in a resample on average, with variance 1 - 1/n."""
    reps, n = 4000, 6
    times = np.zeros(n)
    for split in BootstrapScheme(n_resamples=reps).splits(Rows(n=n), 5):
        times += np.bincount(split.train, minlength=n)

    # 6 rows within 4.5 standard errors. That a resample with nothing left out is drawn again
    # (6!/6^6 = 1.5 % of them) makes no row likelier than another.
    assert np.abs(times / reps - 1).max() < 4.5 * math.sqrt((1 - 1 / n) / reps)


def test_degenerate_a_resample_with_nothing_out_is_drawn_again() -> None:
    """Two rows: half of all resamples hold both, and none of them is kept."""
    splits = list(BootstrapScheme(n_resamples=200).splits(Rows(n=2), 6))

    assert {tuple(s.train.tolist()) for s in splits} == {(0, 0), (1, 1)}
    assert all(s.test.tolist() == [1 - s.train[0]] for s in splits)


def test_property_more_resamples_keep_those_there_were() -> None:
    few = drawn(BootstrapScheme(n_resamples=3), Rows(n=20), 8)

    assert drawn(BootstrapScheme(n_resamples=9), Rows(n=20), 8)[:3] == few


def test_invalid_number_and_rows() -> None:
    with pytest.raises(InvalidParameter, match="n_resamples must be at least 2, and is 1"):
        BootstrapScheme(n_resamples=1)
    with pytest.raises(InsufficientData, match="the data have 1"):
        BootstrapScheme().n_splits(Rows(n=1))


@pytest.mark.calibration
def test_calibrated_corrected_variance_with_different_rows_as_training_size() -> None:
    """The variance of the mean over 25 resamples is met to a fifth; with n_1 = n it is not.

    600 samples of 40, a line fitted to noise about a line. The estimated variance has a relative
    Monte-Carlo error of about 6 %, so 1 seed in 1000 would fail for a ratio of 1; this is fixed.
    """
    rng, n, reps, scheme = np.random.default_rng(131), 40, 600, BootstrapScheme(n_resamples=25)
    variances = np.empty((reps, 3))
    for rep in range(reps):
        x = np.column_stack([np.ones(n), rng.normal(size=n)])
        y = x[:, 1] + rng.normal(size=n)
        means, ratios = [], []
        for split in scheme.splits(Rows(n=n), rep):
            line = np.linalg.lstsq(x[split.train], y[split.train])[0]
            means.append(float(((x[split.test] @ line - y[split.test]) ** 2).mean()))
            ratios.append((len(split.test), split.n_train))
        test, train = np.sum(ratios, axis=0)
        spread = float(np.var(means, ddof=1))
        corrected = [(1 / 25 + test / m) * spread for m in (train, 25 * n)]
        variances[rep] = (np.mean(means), *corrected)
    true = variances[:, 0].var(ddof=1)

    assert abs(variances[:, 1].mean() / true - 1) < 0.25
    assert variances[:, 2].mean() / true < 0.85
