"""Draws of whole sources, and how often intervals for a new source cover over them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from thetahat.analyses.studies.population import DrawnData
from thetahat.analyses.studies.record_names import make_record_name
from thetahat.analyses.studies.whole_sources import WholeSources, measure_coverage
from thetahat.errors import InsufficientData
from thetahat.generators import DrawSize
from thetahat.tables.data import Data
from thetahat.tables.features import Features
from thetahat.values.coverage import MeasuredCoverage
from thetahat.values.types import FloatArray

WHO = ("key", "ridge")


def records_of(
    estimate: FloatArray, half: float, target: str = "new_source", **truths: FloatArray
) -> dict[str, FloatArray]:
    place = (*WHO, "intervals", "student_t", target, "macro")
    return {
        make_record_name(*WHO, "mean", "macro"): estimate,
        make_record_name(*place, "lower"): estimate - half,
        make_record_name(*place, "upper"): estimate + half,
        **{make_record_name(*WHO, "truths", name): values for name, values in truths.items()},
    }


def measure_or_none(
    records: Mapping[str, FloatArray], target: str, share: float
) -> MeasuredCoverage | None:
    return measure_coverage(records, WHO, ("student_t", target, "macro"), share)


def measure(records: Mapping[str, FloatArray], target: str, share: float) -> MeasuredCoverage:
    measured = measure_or_none(records, target, share)
    assert measured is not None
    return measured


# By hand: four draws of half the sources.
def test_by_hand_errors_are_spread() -> None:
    # the mean of what was observed is 5: errors -1.5, -1, 1, 1.5, which half the sources make
    # sqrt 2 too small: 2.12, 1.41 off
    estimate = np.array([3.5, 4.0, 6.0, 6.5])
    outside = np.array([6.0, 6.0, 4.0, 4.0])
    measured = measure(
        records_of(estimate, 1.6, fold_models_on_new_sources=outside), "new_source", 0.5
    )
    assert measured.coverage.value == 0.5
    assert (measured.truth_above.value, measured.truth_below.value) == (0.25, 0.25)
    assert measured.width.value == pytest.approx(3.2)
    # about the mean of those at hand all are covered, about those left over (2.5, 2, 2, 2.5) none
    covers = {name: number.value for name, number in measured.covers.items()}
    assert covers == {"new_source": 1.0, "fold_models_on_new_sources": 0.0}


def test_exact_a_bias_is_not_spread() -> None:
    estimate = np.array([2.0, 2.0, 2.0])
    records = records_of(estimate, 1.1, fold_models_on_new_sources=np.array([0.5, 1.0, 1.5]))
    assert measure(records, "new_source", 0.5).coverage.value == 1


def test_exact_a_prediction_is_held_against_what_was_seen() -> None:
    seen = np.array([1.0, 4.0, np.nan])
    records = records_of(np.zeros(3), 2.0, "one_new_source", observed_on_one_new_source=seen)
    measured = measure(records, "one_new_source", 0.5)
    assert measured.coverage.value == 0.5
    assert measured.truth_above.value == 0.5


def test_degenerate_intervals_not_built_or_of_another_target_are_not_measured() -> None:
    observed = np.array([1.0, 2.0])
    records = records_of(np.zeros(2), np.nan, fold_models_on_new_sources=observed)
    assert measure_or_none(records, "new_source", 0.5) is None
    of_these = records_of(np.zeros(2), 1.0, "these_sources", fold_models_on_new_sources=observed)
    assert measure_or_none(of_these, "these_sources", 0.5) is None
    assert measure_or_none(of_these, "new_source", 0.5) is None
    assert measure_or_none(records_of(np.zeros(2), 1.0), "new_source", 0.5) is None


def test_calibrated_coverage_is_that_of_sources_without_end() -> None:
    # risks of 20 sources are normal; from 8 of them half the t interval's width that covers 80 %
    rng, n_sets, n_draws, k, m = np.random.default_rng(6), 400, 60, 20, 8
    covered = []
    for _ in range(n_sets):
        risks = rng.normal(size=k)
        order = np.argsort(rng.random((n_draws, k)), axis=1)
        drawn, left = risks[order[:, :m]], risks[order[:, m:]]
        # t(.9) with 7 degrees of freedom, from R's qt(0.9, 7)
        half = 1.414924 * drawn.std(axis=1, ddof=1) / np.sqrt(m)
        estimate = drawn.mean(axis=1)
        records = records_of(estimate, 0.0, fold_models_on_new_sources=left.mean(axis=1))
        place = (*WHO, "intervals", "student_t", "new_source", "macro")
        records[make_record_name(*place, "lower")] = estimate - half
        records[make_record_name(*place, "upper")] = estimate + half
        measured = measure(records, "new_source", m / k)
        covers = measured.covers
        all_of = (measured.coverage, covers["new_source"], covers["fold_models_on_new_sources"])
        covered.append([number.value or 0.0 for number in all_of])
    corrected, at_hand, left_over = np.mean(covered, axis=0)
    error = np.std(covered, axis=0)[0] / np.sqrt(n_sets)
    assert abs(corrected - 0.8) < 4 * error + 0.005
    assert at_hand > 0.86
    assert left_over < 0.72


@pytest.fixture(name="data")
def fixture_data() -> Data:
    source = np.repeat(np.array(["a", "b", "c", "d", "e"]), [3, 5, 4, 30, 6])
    n = len(source)
    return Data(
        features=Features(("x",), (np.arange(n, dtype=np.float64),)),
        y=np.arange(n, dtype=np.float64),
        task="regression",
        source=source,
    )


def drawn_of(data: Data, seed: int, n_judged: int = 1000) -> DrawnData:
    population = WholeSources(data=data, n_judged=n_judged)
    size = DrawSize(n_sources=3, per_source=1)
    return population.draw_sources(size, np.random.default_rng(seed))(size, seed)


def test_exact_no_source_is_on_both_sides_and_none_is_in_part(data: Data) -> None:
    seen = set()
    for seed in range(20):
        drawn = drawn_of(data, seed)
        outside = drawn.outside()
        assert outside is not None
        inside, others = (np.asarray(sample.source) for sample in (drawn.data, outside))
        assert len(set(inside)) == 3
        assert set(inside) | set(others) == set("abcde")
        assert drawn.data.n + outside.n == data.n
        assert len(np.unique(np.concatenate([drawn.data.y, outside.y]))) == data.n
        seen.add(frozenset(inside))
    assert len(seen) > 4


def test_exact_few_rows_of_each_source_are_judged_where_there_are_many(data: Data) -> None:
    for seed in range(5):
        outside = drawn_of(data, seed, n_judged=8).outside()
        assert outside is not None
        assert max(np.unique(np.asarray(outside.source), return_counts=True)[1]) <= 4


def test_invalid_nothing_is_left_of_the_drawn_sources(data: Data) -> None:
    with pytest.raises(InsufficientData, match="whole sources are drawn"):
        drawn_of(data, 1).rest()
