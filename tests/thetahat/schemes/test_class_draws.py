"""Bootstrap draws with a rare class: drawn again, counted, and refused where nothing helps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.thetahat.refit_estimators.again import fitted
from thetahat.cross_validation import build_rows
from thetahat.errors import InsufficientData
from thetahat.learners import LEARNERS
from thetahat.refit_estimators._resamples import ResamplesDesign
from thetahat.refit_estimators.base import RefitDesign
from thetahat.refit_estimators.bccv_percentile import BccvPercentile, CaseDeletionsDesign
from thetahat.refit_estimators.location_shifted_bootstrap import LocationShiftedBootstrap
from thetahat.refit_estimators.out_of_bag import OutOfBagEstimate
from thetahat.refit_estimators.two_stage_bootstrap import TwoStageBootstrap, TwoStageDesign
from thetahat.schemes._class_draws import RowsToDraw
from thetahat.schemes.base import Rows, collect_scheme_cautions
from thetahat.schemes.bootstrap import BootstrapScheme
from thetahat.tables.data import Data, build_data
from thetahat.values.types import Alternative

N = 30


def with_rare_class(n_rare: int, n: int = N) -> Data:
    x = np.random.default_rng(n_rare).normal(size=n)
    y = np.where(np.arange(n) < n_rare, "ill", "well")
    return build_data({"x": x + 2 * (y == "ill")}, y, "classification")


def rows_of(n_rare: int, n: int = N) -> Rows:
    return build_rows(with_rare_class(n_rare, n))


def n_classes_learnt(design: RefitDesign, rows: Rows, seed: int) -> set[int]:
    assert rows.y is not None
    return {len(np.unique(rows.y[split.train])) for split in design.splits(rows, seed)}


def test_gh_15_a_learner_of_two_classes_is_fitted_to_every_resample() -> None:
    data, method = with_rare_class(2), OutOfBagEstimate(n_resamples=60)

    fits = fitted(method.design, data, LEARNERS["linear_discriminant"](), loss="zero_one", seed=7)
    estimate = method.estimate(fits)

    # a resample has one class with probability (28/30)^30 = .126
    n_again = estimate.details["n_drawn_again"]
    assert n_again == 9
    (caution,) = [c for c in estimate.cautions if c.code == "rare_class_drawn_again"]
    assert caution.message.startswith(f"{n_again} bootstrap resamples had too few rows of a rare")
    assert "beside the 60 that were used" in caution.message


@pytest.mark.parametrize(
    "design", [ResamplesDesign(80), TwoStageDesign(12, 5), CaseDeletionsDesign(15)]
)
def test_exact_every_training_part_has_two_classes(design: RefitDesign) -> None:
    assert n_classes_learnt(design, rows_of(2), 3) == {2}


def test_exact_three_classes_may_lack_one() -> None:
    y = np.array(["a"] * 20 + ["b"] * 9 + ["c"])
    rows = build_rows(build_data({"x": np.zeros(N)}, y, "classification"))

    assert n_classes_learnt(ResamplesDesign(40), rows, 3) == {2, 3}


def test_exact_draws_with_two_classes_stay_as_they_were() -> None:
    """Only unusable draws differ: the others are those of rows without classes."""
    plain, rows = RowsToDraw(N), RowsToDraw.read(rows_of(2))
    design, n_again = ResamplesDesign(200), 0
    for b in range(1, 201):
        (counts, again), (without_classes, _) = (design.draw(r, 5, b) for r in (rows, plain))
        n_again += again > 0
        assert np.array_equal(counts, without_classes) == (again == 0)
    assert n_again > 0


def test_calibrated_number_of_draws_made_again() -> None:
    """Geometric with p = (28/30)^30: 4 Monte-Carlo errors, failing once in 16 000."""
    rows, design = RowsToDraw.read(rows_of(2)), ResamplesDesign(4000)
    again = [design.draw(rows, 11, b)[1] for b in range(1, 4001)]

    p = (28 / 30) ** 30
    assert abs(np.mean(again) - p / (1 - p)) < 4 * math.sqrt(p / (1 - p) ** 2 / 4000)


def test_exact_draws_are_a_function_of_seed_and_number() -> None:
    rows, design = rows_of(2), ResamplesDesign(30)
    whole = list(design.splits(rows, 9))
    stretch = list(design.splits(rows, 9, start=20, stop=25))

    for first, other in zip(whole[20:25], stretch, strict=True):
        assert_array_equal(first.train, other.train)
    assert n_classes_learnt(design, rows, 10) == {2}


def test_exact_scheme_draws_again_with_a_caution() -> None:
    scheme, rows = BootstrapScheme(n_resamples=60), rows_of(2)
    assert rows.y is not None

    splits = list(scheme.splits(rows, 4))
    codes = [caution.code for caution in collect_scheme_cautions(scheme, rows, 4)]

    assert {len(np.unique(rows.y[split.train])) for split in splits} == {2}
    assert codes == ["trained_on_resamples", "rare_class_drawn_again"]


def test_exact_no_caution_without_a_rare_class() -> None:
    scheme = BootstrapScheme(n_resamples=20)

    assert len(collect_scheme_cautions(scheme, rows_of(15), 4)) == 1
    assert len(collect_scheme_cautions(scheme, Rows(n=N, y=np.arange(30.0)), 4)) == 1


def test_exact_intervals_with_redrawn_classes_have_the_caution() -> None:
    data, majority = with_rare_class(2), LEARNERS["nearest_mean"]()
    methods = (
        LocationShiftedBootstrap(n_resamples=40),
        TwoStageBootstrap(n_outer=10, n_inner=5),
        BccvPercentile(n_resamples=12),
    )
    for method in methods:
        fits = fitted(method.design, data, majority, loss="zero_one", seed=2)
        interval = method.interval(fits, 0.9, Alternative.TWO_SIDED)
        assert interval is not None
        assert "rare_class_drawn_again" in [caution.code for caution in interval.cautions]


def test_degenerate_one_class_in_the_data_is_never_drawn_again() -> None:
    rows = Rows(n=9, y=np.zeros(9, dtype=np.intp), classes=("a", "b"))

    assert ResamplesDesign(30).count_drawn_again(rows, 1) == 0


def test_degenerate_leave_one_out_of_a_class_with_one_row_draws_as_before() -> None:
    rows, plain = RowsToDraw.read(rows_of(1)), RowsToDraw(N)
    design = CaseDeletionsDesign(5)

    for sample in range(6):
        assert_array_equal(design.draw(rows, 1, sample)[0], design.draw(plain, 1, sample)[0])


@pytest.mark.parametrize("design", [ResamplesDesign(5), TwoStageDesign(5, 5)])
def test_invalid_two_rows_of_two_classes(design: RefitDesign) -> None:
    with pytest.raises(InsufficientData, match="needs 3 rows or more: the class 'ill' has 1 of 2"):
        design.n_splits(rows_of(1, 2))
    with pytest.raises(InsufficientData, match="needs 3 rows or more"):
        BootstrapScheme().n_splits(rows_of(1, 2))


def test_invalid_draws_end_and_name_the_rarest_class() -> None:
    rows = RowsToDraw.read(rows_of(1, 2))

    with pytest.raises(InsufficientData, match="1000 bootstrap resamples in a row") as error:
        ResamplesDesign(5).draw(rows, 1, 1)
    assert "the class 'ill' has 1 of 2 rows" in error.value.message
    assert error.value.loc == ("columns", "target")
