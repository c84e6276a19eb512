from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.refit_estimators.again import Nearest, fitted, regression_of
from thetahat.errors import InvalidParameter
from thetahat.refit_estimators._percentiles import build_percentile_interval
from thetahat.refit_estimators.bootstrap_632_plus import Bootstrap632Plus
from thetahat.refit_estimators.location_shifted_bootstrap import LocationShiftedBootstrap
from thetahat.values.types import Alternative, Target

METHOD = LocationShiftedBootstrap(n_resamples=120)
TWO = Alternative.TWO_SIDED


@pytest.mark.outside("scipy.stats.mstats.mquantiles of type 7, run here")
def test_against_scipy_quantiles_less_the_shift() -> None:
    from scipy.stats.mstats import mquantiles

    # by hand: 1 + .1 x 4 = 1.4 and 1 + .9 x 4 = 4.6; a bias of -2 moves both up by 2
    replicates = np.array([3.0, 1.0, 5.0, 2.0, 4.0])
    interval = build_percentile_interval(METHOD.info, 5.5, replicates, -2.0, 0.8, TWO)
    above = build_percentile_interval(METHOD.info, 5.5, replicates, -2.0, 0.9, Alternative.GREATER)

    assert interval is not None
    assert above is not None
    assert_allclose([interval.lower or 0, interval.upper or 0], [3.4, 6.6])
    theirs = mquantiles(replicates, [0.1, 0.9], alphap=1, betap=1)  # R's type 7
    assert_allclose([interval.lower or 0, interval.upper or 0], theirs + 2, rtol=1e-14)
    assert_allclose(interval.standard_error or 0, np.sqrt(2.5))
    assert (above.lower, above.upper) == (interval.lower, None)
    assert [c.code for c in interval.cautions] == ["few_resamples"]


def test_naive_errors_of_each_resample_on_itself() -> None:
    rng = np.random.default_rng(20_261_121)
    y = rng.gamma(2, size=25)
    fits = fitted(METHOD.design, regression_of(y), seed=3)
    interval = METHOD.interval(fits, 0.9, TWO)

    errors = [
        np.mean((y[s.train] - y[s.train].mean()) ** 2)
        for s in list(METHOD.design.splits(fits.rows, 3))[1:]
    ]
    estimate = Bootstrap632Plus(n_resamples=120).estimate(fits).estimate
    bias = np.mean((y - y.mean()) ** 2) - estimate
    assert interval is not None
    assert_allclose(
        [interval.lower or 0, interval.upper or 0],
        np.quantile(errors, [0.05, 0.95]) - bias,
        rtol=1e-10,
    )
    assert_allclose(interval.estimate, estimate, rtol=1e-12)
    assert (interval.target, interval.variance) == (Target.THESE_SOURCES, None)
    assert interval.cautions[0].code == "published_coverage_is_low"


def test_degenerate_a_model_that_remembers_has_no_interval() -> None:
    x, y = np.random.default_rng(4).normal(size=(2, 20))
    fits = fitted(METHOD.design, regression_of(y, x=x), Nearest(), seed=3)

    assert METHOD.interval(fits, 0.95, TWO) is None


def test_invalid_too_few_resamples_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="n_resamples must be at least 10; got"):
        LocationShiftedBootstrap(n_resamples=9)
