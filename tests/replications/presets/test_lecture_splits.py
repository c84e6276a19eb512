"""The lecture's presets on splits and folds: parts beside plain code, small studies, refusals."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from thetahat.errors import EvaluationError
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.values.json_values import to_json
from thetahat_replications.lectures.classifiers import fit_and_predict
from thetahat_replications.lectures.gaussian_samples import GaussianSample, has_both_classes
from thetahat_replications.presets import PRESETS
from thetahat_replications.presets.lecture_folds.preset import LectureFolds, draw_partition
from thetahat_replications.presets.lecture_splits.preset import (
    LectureSplits,
    count_test_rows,
    draw_training_parts,
    list_training_parts,
)

SMALL = {
    "lecture_splits": {"sizes": (8, 20), "shares": (0.25, 0.5), "splits": 4, "n_features": 3},
    "lecture_folds": {"n": 12, "folds": (2, 4), "repeats": 3, "n_features": 3},
}


@pytest.fixture(name="sample")
def fixture_sample() -> GaussianSample:
    return GaussianSample.draw(
        TwoClassGaussian(n_features=4, n_relevant=2), 14, np.random.default_rng(2)
    )


@pytest.mark.parametrize("name", ["nearest_mean", "lda", "nn"])
def test_naive_many_fits_are_the_learners_fits(sample: GaussianSample, name: str) -> None:
    rng = np.random.default_rng(3)
    parts = draw_training_parts(sample, 5, 6, rng)
    wrong = sample.errors(name, parts, rng)
    fresh = sample.true_errors(name, parts, rng)
    for part, row, error in zip(parts, wrong, fresh, strict=True):
        X, y = sample.X[part], sample.y[part]
        np.testing.assert_array_equal(row, fit_and_predict(name, X, y, sample.X, rng) != sample.y)
        expected = (fit_and_predict(name, X, y, sample.fresh, rng) != sample.fresh_y).mean()
        assert error == pytest.approx(expected, abs=1e-15)


# By hand: five rows on a line, every split with two to test on.
def test_by_hand_complete_subsampling_on_five_rows() -> None:
    # rows 0 1 of class 0, rows 8 9 of class 1 and a stray of class 1 at 2: what is fitted without
    # the stray puts it into class 0 unless its own side pulls the border below it
    X, y = np.array([[0.0], [1], [2], [8], [9]]), np.array([0, 0, 1, 1, 1])
    sample = GaussianSample(X, y, X, y)
    parts = list_training_parts(5, 2)
    assert len(parts) == math.comb(5, 2)
    assert len(parts) == 10
    parts = parts[has_both_classes(parts, y)]
    wrong = sample.errors("nearest_mean", parts, np.random.default_rng(0)) & ~parts
    # tested pairs and the borders between the means of what is left: {0,1}: no class 0 is left;
    # {0,2}: 1 | 8.5, the stray errs; {0,3}: 1 | 5.5, none; {0,4}: 1 | 5, none; {1,2}: 0 | 8.5, the
    # stray errs; {1,3}: 0 | 5.5; {1,4}: 0 | 5; {2,3}: .5 | 9, the stray errs; {2,4}: .5 | 8, it
    # errs; {3,4}: .5 | 2, none
    assert len(parts) == 9
    assert wrong.sum(axis=1).tolist() == [1, 0, 0, 1, 0, 0, 1, 1, 0]


def test_exact_every_part_is_there_once() -> None:
    parts = list_training_parts(6, 2)
    held = {tuple(np.flatnonzero(~part).tolist()) for part in parts}
    assert held == set(combinations(range(6), 2))


def test_exact_sizes_to_test_on_are_rounded_up() -> None:
    assert [count_test_rows(10, share) for share in (0.01, 0.1, 0.25, 0.3, 0.99)] == [1, 1, 3, 3, 9]


def test_exact_stratified_folds_share_out_each_class() -> None:
    rng = np.random.default_rng(1)
    y = np.array([0] * 14 + [1] * 6)
    fold = draw_partition(y, 4, rng, stratified=True)
    for c in (0, 1):
        counts = np.bincount(fold[y == c], minlength=4)
        assert counts.max() - counts.min() <= 1
    assert set(np.bincount(fold)) == {5}


@pytest.mark.parametrize("name", ["nearest_mean", "lda"])
def test_degenerate_parts_of_one_class_predict_it(sample: GaussianSample, name: str) -> None:
    parts = np.stack([sample.y == 0, sample.y == 1])
    wrong = sample.errors(name, parts, np.random.default_rng(0))
    np.testing.assert_array_equal(wrong[0], sample.y == 1)
    np.testing.assert_array_equal(wrong[1], sample.y == 0)


@pytest.mark.about("presets/lecture_splits")
def test_calibrated_a_split_is_unbiased_for_what_it_fitted_on_eight_rows() -> None:
    """Samples of one class are kept; leaving them out added 0.008 with ten rows."""
    preset = LectureSplits(sizes=(8,), shares=(0.25, 0.5), splits=10, n_features=3)
    records = preset.plan({}, 2).run(0, 2000)
    apart = records["8/mean"] - records["8/fitted"]
    errors = apart.std(axis=0, ddof=1) / math.sqrt(2000)
    assert (np.abs(apart.mean(axis=0)) < 5 * errors).all()
    assert (errors < 0.006).all()


@pytest.mark.about("presets/lecture_folds")
def test_calibrated_the_bias_by_fitted_models_is_that_of_the_estimates() -> None:
    records = LectureFolds(n=20, folds=(2, 5), repeats=3).plan({}, 4).run(0, 600)
    estimates = np.column_stack([records["random"].mean(axis=2), records["leave_one_out"]])
    apart = estimates - records["fitted"]
    errors = apart.std(axis=0, ddof=1) / math.sqrt(600)
    assert (np.abs(apart.mean(axis=0)) < 5 * errors).all()
    by_models = (records["fitted"] - records["truth"][:, None]).std(axis=0)
    by_estimates = (estimates - records["truth"][:, None]).std(axis=0)
    assert (by_models[1:] < 0.4 * by_estimates[1:]).all()


@pytest.mark.parametrize("name", list(SMALL))
def test_exact_any_cut_gives_the_same_records(name: str) -> None:
    study = PRESETS[name](**SMALL[name]).plan({}, 5)
    whole = study.run(0, 8)
    first, rest = study.run(0, 3), study.run(3, 8)
    for key, values in whole.items():
        np.testing.assert_array_equal(values, np.concatenate([first[key], rest[key]]))
    result = study.finish(whole)
    assert result.claims
    assert all(to_json(table)["rows"] for table in result.tables)
    assert all(to_json(figure)["series"] for figure in result.figures)


@pytest.mark.about("presets/lecture_splits")
def test_exact_the_variance_is_made_of_its_two_parts() -> None:
    study = LectureSplits(**SMALL["lecture_splits"]).plan({}, 5)  # type: ignore[arg-type]
    records = study.run(0, 12)
    row = to_json(study.finish(records).tables[0])["rows"][3]
    mean, variance = records["20/mean"][:, 1], records["20/variance"][:, 1]
    assert row["conditional"]["value"] == pytest.approx(variance.mean())
    expected = mean.var(ddof=1) + variance.mean() * (1 - 1 / 4)
    assert row["unconditional"]["value"] == pytest.approx(expected)


@pytest.mark.about("presets/lecture_splits")
def test_calibrated_bias_grows_and_complete_subsampling_saves_variance() -> None:
    preset = LectureSplits(sizes=(8, 30), shares=(0.125, 0.75), splits=10, n_features=4)
    study = preset.plan({}, 1)
    result = study.finish(study.run(0, 300))
    verdicts = {(claim.text, claim.measured): claim.verdict for claim in result.claims}
    claims = {text for (text, _), verdict in verdicts.items() if verdict == "holds"}
    assert "The bias grows with mu." in claims
    assert "Complete subsampling removes the variance over splits." in claims
    assert "The unconditional variance decays with growing mu." in claims


# By hand: two samples, one number of folds, two partitions of each.
@pytest.mark.about("presets/lecture_folds")
def test_by_hand_variances_over_partitions_and_samples() -> None:
    study = LectureFolds(n=12, folds=(3,), repeats=2).plan({}, 1)
    records = {
        "truth": np.array([0.2, 0.4]),
        "leave_one_out": np.array([0.1, 0.5]),
        "fitted": np.array([[0.3, 0.25], [0.5, 0.45]]),
        "random": np.array([[[0.2, 0.4]], [[0.5, 0.5]]]),
        "stratified": np.array([[[0.2, 0.2]], [[0.4, 0.4]]]),
    }
    first, last = to_json(study.finish(records).tables[0])["rows"][:2]
    # means over partitions .3 and .5: bias .1, their variance .02; over partitions .02 and 0: .01;
    # of one partition .02 + .01/2; squared errors 0, .04, .01, .01
    assert first["bias"]["value"] == pytest.approx(0.1)
    assert first["conditional"]["value"] == pytest.approx(0.01)
    assert first["repeated"]["value"] == pytest.approx(0.02)
    assert first["once"]["value"] == pytest.approx(0.025)
    assert first["mse"]["value"] == pytest.approx(0.015)
    assert last["folds"] == 12
    assert last["once"]["value"] == pytest.approx(0.08)


@pytest.mark.about("presets/lecture_folds")
def test_calibrated_repeats_lower_the_variance() -> None:
    study = LectureFolds(n=20, folds=(2, 10), repeats=5).plan({}, 1)
    result = study.finish(study.run(0, 150))
    verdicts = [
        claim.verdict
        for claim in result.claims
        if claim.text == "Repeating cross-validation lowers its variance."
    ]
    assert verdicts == ["holds", "holds"]
    assert any(claim.reference == "molinaro2005" for claim in result.claims)


@pytest.mark.parametrize(
    ("name", "wrong", "place"),
    [
        ("lecture_splits", {"classifier": "svm"}, "classifier"),
        ("lecture_splits", {"sizes": (60, 10)}, "sizes"),
        ("lecture_splits", {"sizes": (40, 60)}, "sizes"),
        ("lecture_splits", {"shares": (0.5,)}, "shares"),
        ("lecture_splits", {"shares": (0.5, 0.9)}, "shares"),
        ("lecture_splits", {"shares": (0.5, 1.0)}, "shares"),
        ("lecture_splits", {"splits": 1}, "splits"),
        ("lecture_folds", {"classifier": "svm"}, "classifier"),
        ("lecture_folds", {"n": 9}, "n"),
        ("lecture_folds", {"folds": (2, 12)}, "folds"),
        ("lecture_folds", {"repeats": 1}, "repeats"),
    ],
)
def test_invalid_parameters_are_named(name: str, wrong: dict, place: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(EvaluationError) as refused:
        PRESETS[name](**{**SMALL[name], **wrong})
    assert refused.value.loc[0] == place
