"""The lecture's table of risk estimators at a small size, and its parts beside plain code."""

from __future__ import annotations

import numpy as np
import pytest

from replications.lectures.classifiers import GeneSums, largest, said
from replications.lectures.risk_estimates import (
    Population,
    Sample,
    cross_validated,
    drawn_folds,
    drawn_resamples,
    drawn_split,
    plus,
)
from replications.presets.lecture_estimators import LectureEstimators
from thetahat.errors import EvaluationError
from thetahat.generators._size import DrawSize
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.tables.features import Features


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
def fixture_sample(genes: Data) -> Sample:
    population = Population(genes.features.matrix(), np.asarray(genes.y))
    rows, others = population.draw(24, np.random.default_rng(1))
    return Sample.of(population, rows, others, 5)


def test_naive_best_columns_are_those_of_the_largest_t(sample: Sample) -> None:
    rng = np.random.default_rng(2)
    for counts in (
        np.ones(24),
        *drawn_resamples(sample.y, 5, rng),
        drawn_split(sample.y, 0.5, rng),
    ):
        train = np.repeat(np.arange(24), counts.astype(int))
        t = _t_by_hand(sample.X[train], sample.y[train])
        expected = np.sort(np.argsort(-t)[:5])
        np.testing.assert_array_equal(sample.sums.best(counts, 5), expected)


@pytest.mark.outside("hand arithmetic: three columns of four rows")
def test_golden_t_by_hand() -> None:
    X = np.array([[0.0, 1, 0.0], [2, 1, 1], [4, 2, 2.5], [6, 2, 2.5]])
    sums = GeneSums.of(X, np.array([0, 0, 1, 1]))
    # means apart 4, 1, 2 and squares within 4, 0, .5: t^2 is 16/4 = 4, nothing, 4/.5 = 8
    np.testing.assert_array_equal(sums.best(np.ones(4), 1), [2])
    np.testing.assert_array_equal(sums.best(np.ones(4), 2), [0, 2])


def test_naive_largest_values_are_those_of_a_stable_sort() -> None:
    rng = np.random.default_rng(8)
    for size, n in ((1, 1), (9, 9), (40, 7), (40, 1)):
        values = rng.integers(6, size=size).astype(np.float64)  # many are equal
        expected = np.sort(np.argsort(-values, kind="stable")[:n])
        np.testing.assert_array_equal(largest(values, n), expected)


def test_against_scikit_learn_a_tree_says_the_same_without_its_checks(sample: Sample) -> None:
    from sklearn.tree import DecisionTreeClassifier

    seed = int(np.random.default_rng(4).integers(2**31))
    plain = DecisionTreeClassifier(random_state=seed).fit(sample.X[:, :3], sample.y)
    expected = plain.predict(sample.unseen[:, :3])
    found = said("cart", sample.X[:, :3], sample.y, sample.unseen[:, :3], np.random.default_rng(4))
    np.testing.assert_array_equal(found, expected)
    assert 0 < found.mean() < 1


def test_naive_cross_validation_is_a_loop_over_folds(sample: Sample) -> None:
    rng = np.random.default_rng(5)
    fold = drawn_folds(sample.y, 4, rng)
    rates = []
    for v in range(4):
        train, test = fold != v, fold == v
        t = _t_by_hand(sample.X[train], sample.y[train])
        columns = np.sort(np.argsort(-t)[:5])
        out = said(
            "lda", sample.X[train][:, columns], sample.y[train], sample.X[test][:, columns], rng
        )
        rates.append((out != sample.y[test]).mean())
    assert cross_validated(sample, "lda", fold, rng) == pytest.approx(np.mean(rates), abs=1e-15)


@pytest.mark.outside("Efron and Tibshirani 1997, section 4: the .632+ formulas, by hand")
def test_golden_plus_by_hand(sample: Sample) -> None:
    rng = np.random.default_rng(6)
    resamples = drawn_resamples(sample.y, 8, rng)
    wrong = {i: [] for i in range(24)}  # type: ignore[var-annotated]
    for counts in resamples:
        out = np.flatnonzero(counts == 0)
        for i, loss in zip(out, sample.error("nn", counts, out, rng), strict=True):
            wrong[int(i)].append(loss)
    out_of_bag = np.mean([np.mean(losses) for losses in wrong.values() if losses])
    # the nearest neighbour of a row is the row itself: no apparent error, and gamma is 2 p q
    share = sample.y.mean()
    gamma = 2 * share * (1 - share)
    relative = min(out_of_bag, gamma) / gamma
    weight = 0.632 / (1 - 0.368 * relative)
    expected = weight * min(out_of_bag, gamma)
    assert plus(sample, "nn", resamples, rng) == pytest.approx(expected, rel=1e-12)


@pytest.mark.about("presets/lecture_estimators")
def test_exact_any_cut_gives_the_same_records_and_the_table_is_whole(genes: Data) -> None:
    preset = LectureEstimators(n=24, n_genes=4, resamples=3, classifiers=("dda", "nn"))
    study = preset.plan({"genes": genes}, 7)
    whole = study.run(0, 6)
    first, rest = study.run(0, 1), study.run(1, 6)
    for name, values in whole.items():
        np.testing.assert_array_equal(values, np.concatenate([first[name], rest[name]]))
    found = study.finish(whole)
    assert not found.cautions
    rows = found.tables[0].as_data()["rows"]
    assert len(rows) == 2 * 8
    off = whole["leave_one_out"] - whole["truth"]
    row = next(r for r in rows if r["estimator"] == "leave-one-out")
    assert row["bias"]["value"] == pytest.approx(off[:, 0].mean())
    assert row["mse"]["value"] == pytest.approx((off[:, 0] ** 2).mean())
    assert {figure.name for figure in found.figures} == {"bias", "sd", "mse"}
    assert all(claim.verdict in {"holds", "fails", "undecided"} for claim in found.claims)


@pytest.mark.about("presets/lecture_estimators")
def test_exact_without_data_a_generator_stands_in_and_says_so() -> None:
    study = LectureEstimators(n=20, resamples=2, classifiers=("cart",)).plan({}, 1)
    records = study.run(0, 2)
    assert 0 < records["truth"].mean() < 1
    assert [c.code for c in study.finish(records).cautions] == ["generated_population"]


def test_exact_a_draw_has_the_shares_of_the_population(genes: Data) -> None:
    population = Population(genes.features.matrix(), np.asarray(genes.y))
    rows, others = population.draw(30, np.random.default_rng(0))
    assert np.bincount(population.y[rows]).tolist() == population.drawn_of_class(30).tolist()
    assert sorted([*rows, *others]) == list(range(120))


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
    with pytest.raises(EvaluationError, match="two classes"):
        LectureEstimators().plan({"genes": three}, 1)
