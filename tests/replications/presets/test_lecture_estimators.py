"""The lecture's table of risk estimators at a small size, and its parts beside plain code."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat.errors import EvaluationError
from thetahat.generators import DrawSize
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.tables.features import Features
from thetahat.values.json_values import to_json
from thetahat_replications.lectures.classifiers import GeneSums, find_largest, fit_and_predict
from thetahat_replications.presets.lecture_estimators import risk_estimates
from thetahat_replications.presets.lecture_estimators.preset import LectureEstimators
from thetahat_replications.presets.lecture_estimators.risk_estimates import (
    FinitePopulation,
    GeneSample,
    average_fold_errors,
    draw_folds,
    draw_resamples,
    draw_split,
    estimate_632_plus,
)


def _t_by_hand(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    first, second = X[y == 0], X[y == 1]
    within = ((first - first.mean(0)) ** 2).sum(0) + ((second - second.mean(0)) ** 2).sum(0)
    return np.asarray(np.abs(first.mean(0) - second.mean(0)) / np.sqrt(within))


@pytest.fixture(name="genes", scope="module")
def fixture_genes() -> Data:
    rng = np.random.default_rng(3)
    generator = TwoClassGaussian(n_features=30, n_relevant=4, shift=1.5)
    return generator.draw_sources(1, rng).draw(DrawSize(n=120), rng)


@pytest.fixture(name="sample", scope="module")
def fixture_sample(genes: Data) -> GeneSample:
    population = FinitePopulation(genes.features.matrix(), np.asarray(genes.y))
    rows, others = population.draw(24, np.random.default_rng(1))
    return GeneSample.from_population(population, rows, others, 5)


def test_naive_best_columns_are_those_of_the_largest_t(sample: GeneSample) -> None:
    rng = np.random.default_rng(2)
    for counts in (
        np.ones(24),
        *draw_resamples(sample.n, 5, rng),
        draw_split(sample.n, 0.5, rng),
    ):
        train = np.repeat(np.arange(24), counts.astype(int))
        t = _t_by_hand(sample.X[train], sample.y[train])
        expected = np.sort(np.argsort(-t)[:5])
        np.testing.assert_array_equal(sample.sums.choose_genes(counts, 5), expected)


# By hand: three columns of four rows.
def test_by_hand_t() -> None:
    X = np.array([[0.0, 1, 0.0], [2, 1, 1], [4, 2, 2.5], [6, 2, 2.5]])
    sums = GeneSums.from_rows(X, np.array([0, 0, 1, 1]))
    # means apart 4, 1, 2 and squares within 4, 0, .5: t^2 is 16/4 = 4, nothing, 4/.5 = 8
    np.testing.assert_array_equal(sums.choose_genes(np.ones(4), 1), [2])
    np.testing.assert_array_equal(sums.choose_genes(np.ones(4), 2), [0, 2])


def test_naive_largest_values_are_those_of_a_stable_sort() -> None:
    rng = np.random.default_rng(8)
    for size, n in ((1, 1), (9, 9), (40, 7), (40, 1)):
        values = rng.integers(6, size=size).astype(np.float64)  # many are equal
        expected = np.sort(np.argsort(-values, kind="stable")[:n])
        np.testing.assert_array_equal(find_largest(values, n), expected)


def test_against_sklearn_a_tree_says_the_same_without_its_checks(sample: GeneSample) -> None:
    from sklearn.tree import DecisionTreeClassifier

    seed = int(np.random.default_rng(4).integers(2**31))
    plain = DecisionTreeClassifier(random_state=seed).fit(sample.X[:, :3], sample.y)
    expected = plain.predict(sample.unseen[:, :3])
    predictions = fit_and_predict(
        "cart", sample.X[:, :3], sample.y, sample.unseen[:, :3], np.random.default_rng(4)
    )
    np.testing.assert_array_equal(predictions, expected)
    assert 0 < predictions.mean() < 1


def test_naive_cross_validation_is_a_loop_over_folds(sample: GeneSample) -> None:
    rng = np.random.default_rng(5)
    fold = draw_folds(sample.n, 4, rng)
    rates = []
    for v in range(4):
        train, test = fold != v, fold == v
        t = _t_by_hand(sample.X[train], sample.y[train])
        columns = np.sort(np.argsort(-t)[:5])
        out = fit_and_predict(
            "lda", sample.X[train][:, columns], sample.y[train], sample.X[test][:, columns], rng
        )
        rates.append((out != sample.y[test]).mean())
    assert average_fold_errors(sample, "lda", fold, rng) == pytest.approx(np.mean(rates), abs=1e-15)


# By hand: the .632+ formulas of Efron and Tibshirani 1997, section 4.
def test_by_hand_plus(sample: GeneSample) -> None:
    rng = np.random.default_rng(6)
    resamples = draw_resamples(sample.n, 8, rng)
    wrong = {i: [] for i in range(24)}  # type: ignore[var-annotated]
    for counts in resamples:
        out = np.flatnonzero(counts == 0)
        for i, loss in zip(out, sample.losses("nn", counts, out, rng), strict=True):
            wrong[int(i)].append(loss)
    out_of_bag = np.mean([np.mean(losses) for losses in wrong.values() if losses])
    # the nearest neighbour of a row is the row itself: no apparent error, and gamma is 2 p q
    share = sample.y.mean()
    gamma = 2 * share * (1 - share)
    relative = min(out_of_bag, gamma) / gamma
    weight = 0.632 / (1 - 0.368 * relative)
    expected = weight * min(out_of_bag, gamma)
    assert estimate_632_plus(sample, "nn", resamples, rng) == pytest.approx(expected, rel=1e-12)


@pytest.mark.about("presets/lecture_estimators")
def test_exact_any_cut_gives_the_same_records_and_the_table_is_whole(genes: Data) -> None:
    preset = LectureEstimators(n=24, n_genes=4, resamples=3, classifiers=("dda", "nn"))
    study = preset.plan({"genes": genes}, 7)
    whole = study.run(0, 6)
    first, rest = study.run(0, 1), study.run(1, 6)
    for name, values in whole.items():
        np.testing.assert_array_equal(values, np.concatenate([first[name], rest[name]]))
    result = study.finish(whole)
    assert not result.cautions
    rows = to_json(result.tables[0])["rows"]
    assert len(rows) == 2 * 8
    off = whole["leave_one_out"] - whole["truth"]
    row = next(r for r in rows if r["estimator"] == "leave-one-out")
    assert row["bias"]["value"] == pytest.approx(off[:, 0].mean())
    assert row["mse"]["value"] == pytest.approx((off[:, 0] ** 2).mean())
    assert {figure.name for figure in result.figures} == {"bias", "sd", "mse"}
    assert all(claim.verdict in {"holds", "fails", "undecided"} for claim in result.claims)


@pytest.mark.about("presets/lecture_estimators")
def test_exact_without_data_a_generator_is_used_with_a_caution() -> None:
    study = LectureEstimators(n=20, resamples=2, classifiers=("cart",)).plan({}, 1)
    records = study.run(0, 2)
    assert 0 < records["truth"].mean() < 1
    assert [c.code for c in study.finish(records).cautions] == ["generated_population"]


def test_exact_a_draw_and_the_other_rows_are_all_rows(genes: Data) -> None:
    population = FinitePopulation(genes.features.matrix(), np.asarray(genes.y))
    rows, others = population.draw(30, np.random.default_rng(0))
    assert len(rows) == 30
    assert sorted([*rows, *others]) == list(range(120))


# By hand: with a row of class 1 left the model is class 0 everywhere.
def test_by_hand_a_part_with_a_single_row_of_a_class_predicts_the_other(
    sample: GeneSample,
) -> None:
    counts = (sample.y == 0).astype(float)
    counts[np.flatnonzero(sample.y == 1)[0]] = 3.0  # one row, three times
    predictions = sample.predict("lda", counts, sample.unseen, np.random.default_rng(0))
    assert not predictions.any()


@pytest.mark.about("presets/lecture_estimators")
def test_calibrated_a_split_is_unbiased_for_what_it_fitted(
    genes: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With rows drawn independently; fixed class numbers would add half a per cent and more."""
    # Folds are not looked at here, and are most of the fits.
    monkeypatch.setattr(risk_estimates, "average_fold_errors", lambda *_: 0.0)
    study = LectureEstimators(n=20, n_genes=4, resamples=2, classifiers=("dda",)).plan(
        {"genes": genes}, 3
    )
    records = study.run(0, 500)
    apart = (records["split_third"] - records["split_third_truth"])[:, 0]
    # five standard errors: one false alarm in 1.7 million
    assert abs(apart.mean()) < 5 * apart.std(ddof=1) / np.sqrt(500)


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"n": 19}, "n"),
        ({"n_genes": 0}, "n_genes"),
        ({"resamples": 1}, "resamples"),
        ({"classifiers": ("svm",)}, "classifiers"),
        ({"n": 120}, "n"),
        ({"n_genes": 31}, "n_genes"),
    ],
)
def test_invalid_parameters_are_named(genes: Data, wrong: dict, place: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(EvaluationError) as refused:
        LectureEstimators(**wrong).plan({"genes": genes}, 1)
    assert refused.value.loc[0] == place


def test_invalid_classes_are_refused(genes: Data) -> None:
    three = Data(
        features=Features(genes.features.names, genes.features.columns),
        y=np.arange(genes.n) % 3,
        task=CLASSIFICATION,
        classes=(0, 1, 2),
    )
    with pytest.raises(EvaluationError, match="has 3 classes; this preset needs two"):
        LectureEstimators().plan({"genes": three}, 1)
