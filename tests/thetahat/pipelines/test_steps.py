"""The service's own steps, against hand arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tests.thetahat.pipelines.tables import numbers, strings
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.pipelines import build_step, read_step_spec
from thetahat.pipelines.steps.base import FittedStep
from thetahat.tables.features import Features

NAN = np.nan


def fit_transform(wire: Any, part: Features) -> tuple[FittedStep, Features]:
    step = build_step(read_step_spec(wire), "classification")
    rng = np.random.default_rng(0)
    return step.fit_transform(part, np.zeros(part.n), task="classification", rng=rng)


def one_column(column: Any) -> Features:
    return Features(("a",), (np.asarray(column),))


@pytest.mark.about("steps/standardise")
def test_by_hand_standardise() -> None:
    # mean 4, squared deviations 4, 4, 0, 0, 9, 9 and 16: not used; 2, 4, 6 gives variance 8/3
    fitted_step, made = fit_transform("standardise", one_column([2.0, 4.0, 6.0, NAN]))
    s = (8 / 3) ** 0.5
    np.testing.assert_allclose(made.columns[0], [-2 / s, 0, 2 / s, NAN], rtol=1e-15)
    np.testing.assert_allclose(
        fitted_step.transform(one_column([10.0])).columns[0], [6 / s], rtol=1e-15
    )


@pytest.mark.about("steps/standardise")
@pytest.mark.outside("scikit-learn StandardScaler, run here")
def test_against_sklearn_standardise() -> None:
    part = numbers(50)
    _, made = fit_transform("standardise", part)
    np.testing.assert_allclose(
        made.matrix(), StandardScaler().fit_transform(part.matrix()), rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"centre": False}, [2 / 2, 6 / 2]),
        ({"scale": False}, [-2.0, 2.0]),
        ({"centre": False, "scale": False}, [2.0, 6.0]),
    ],
)
def test_exact_standardise_does_only_what_is_asked(
    params: dict[str, Any], expected: list[float]
) -> None:
    _, made = fit_transform({"name": "standardise", "params": params}, one_column([2.0, 6.0]))
    assert made.columns[0].tolist() == expected


def test_degenerate_standardise_without_spread_or_values() -> None:
    # ten times 0.1 has a mean that differs from 0.1 in the last bit
    _, made = fit_transform("standardise", one_column([0.1] * 10))
    np.testing.assert_allclose(made.columns[0], np.zeros(10), atol=1e-16)
    _, made = fit_transform("standardise", one_column([NAN, NAN]))
    assert np.isnan(made.columns[0]).all()


@pytest.mark.about("steps/impute")
# By hand: mean and median of 1, 2, 6.
def test_by_hand_impute() -> None:
    part = one_column([1.0, NAN, 2.0, 6.0])
    for strategy, fill in [("mean", 3.0), ("median", 2.0)]:
        fitted_step, made = fit_transform(
            {"name": "impute", "params": {"strategy": strategy}}, part
        )
        assert made.columns[0].tolist() == [1.0, fill, 2.0, 6.0]
        assert fitted_step.transform(one_column([NAN])).columns[0].tolist() == [fill]
    assert np.isnan(part.columns[0][1])  # the input is untouched
    constant = {"name": "impute", "params": {"strategy": "constant", "fill_value": 0}}
    assert fit_transform(constant, part)[1].columns[0].tolist() == [1.0, 0.0, 2.0, 6.0]


def test_exact_impute_the_most_frequent_and_of_several_the_smallest() -> None:
    most = {"name": "impute", "params": {"strategy": "most_frequent"}}
    _, made = fit_transform(most, one_column(strings("b", "a", None, "b", "a", "c")))
    assert made.columns[0].tolist() == ["b", "a", "a", "b", "a", "c"]
    _, made = fit_transform(most, one_column([5.0, 3.0, NAN, 5.0]))
    assert made.columns[0].tolist() == [5.0, 3.0, 5.0, 5.0]
    constant = {"name": "impute", "params": {"strategy": "constant", "fill_value": "?"}}
    assert fit_transform(constant, one_column(strings(None, "a")))[1].columns[0].tolist() == [
        "?",
        "a",
    ]


@pytest.mark.about("steps/impute")
@pytest.mark.outside("scikit-learn SimpleImputer, run here")
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_against_sklearn_impute(strategy: str) -> None:
    X = np.random.default_rng(4).integers(0, 5, size=(40, 3)).astype(float)
    X[np.random.default_rng(5).random(X.shape) < 0.2] = NAN
    part = Features(("a", "b", "c"), tuple(X.T.copy()))
    _, made = fit_transform({"name": "impute", "params": {"strategy": strategy}}, part)
    theirs = SimpleImputer(strategy=strategy).fit_transform(X)
    np.testing.assert_allclose(made.matrix(), theirs, rtol=1e-15)


@pytest.mark.about("steps/one_hot")
# By hand over four rows.
def test_by_hand_one_hot() -> None:
    fitted_step, made = fit_transform("one_hot", one_column(strings("b", "a", None, "b")))
    assert made.names == ("a=a", "a=b", "a=(missing)")
    assert made.matrix().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert fitted_step.transform(one_column(strings("z", "a"))).matrix().tolist() == [
        [0, 0, 0],
        [1, 0, 0],
    ]
    _, made = fit_transform(
        {"name": "one_hot", "params": {"drop_first": True}}, one_column(strings("b", "a"))
    )
    assert made.names == ("a=b",)
    assert made.columns[0].tolist() == [1.0, 0.0]
    _, made = fit_transform("one_hot", one_column([2.0, 10.0, NAN]))
    assert made.names == ("a=2.0", "a=10.0", "a=(missing)")


def test_invalid_one_hot_refuses_unknown_categories_if_asked() -> None:
    wire = {"name": "one_hot", "params": {"unknown": "error"}}
    fitted_step, _ = fit_transform(wire, one_column(strings("a", "b")))
    assert fitted_step.transform(one_column(strings("b"))).names == ("a=a", "a=b")
    with pytest.raises(InvalidParameter, match="the category 'z' in column 'a'") as refusal:
        fitted_step.transform(one_column(strings("b", "z")))
    assert refusal.value.loc == ("columns", "features", "a")


def test_invalid_one_hot_refuses_columns_that_name_instances() -> None:
    names = strings(*(f"id{i}" for i in range(20_001)))
    with pytest.raises(InvalidParameter, match=r"20001 columns\. At most 20000"):
        fit_transform("one_hot", one_column(names))


@pytest.mark.about("steps/pca")
def test_by_hand_pca() -> None:
    # points on the line (t, 2t), t = -1, 0, 1, around (1, 5): one direction, (1, 2) / sqrt 5
    part = Features(("a", "b"), (np.array([0.0, 1.0, 2.0]), np.array([3.0, 5.0, 7.0])))
    _, made = fit_transform({"name": "pca", "params": {"n_components": 1}}, part)
    np.testing.assert_allclose(made.columns[0], [-(5**0.5), 0.0, 5**0.5], rtol=1e-14, atol=1e-15)
    assert made.names == ("component_1",)


@pytest.mark.about("steps/pca")
@pytest.mark.outside("scikit-learn PCA, run here")
@pytest.mark.parametrize("n_components", [None, 1, 3, 0.5, 0.9, 0.999])
def test_against_sklearn_pca(n_components: float | None) -> None:
    part = numbers(50, 5)
    fitted_step, made = fit_transform(
        {"name": "pca", "params": {"n_components": n_components}}, part
    )
    theirs = PCA(n_components, svd_solver="full").fit(part.matrix())
    assert len(made.names) == theirs.n_components_
    other = numbers(10, 5, seed=7)
    np.testing.assert_allclose(
        fitted_step.transform(other).matrix(),
        theirs.transform(other.matrix()),
        rtol=1e-9,
        atol=1e-12,
    )


def test_exact_pca_keeps_more_than_the_share_and_not_just_the_share() -> None:
    # a diamond: two directions, each with exactly half of the variance
    diamond = np.array([[2.0, -2.0, 0.0, 0.0], [0.0, 0.0, 2.0, -2.0]])
    part = Features(("a", "b"), tuple(diamond))
    for share, n_kept in [(0.499, 1), (0.5, 2), (0.501, 2)]:
        _, made = fit_transform({"name": "pca", "params": {"n_components": share}}, part)
        assert len(made.names) == n_kept


def test_degenerate_pca_of_columns_without_spread() -> None:
    part = Features(("a", "b"), (np.ones(4), np.full(4, 2.0)))
    _, made = fit_transform({"name": "pca", "params": {"n_components": 0.9}}, part)
    assert [column.tolist() for column in made.columns] == [[0.0] * 4]


@pytest.mark.parametrize("n_components", [0, -1, 0.0, 1.0, 1.5])
def test_invalid_pca_components(n_components: float) -> None:
    wire = {"name": "pca", "params": {"n_components": n_components}}
    with pytest.raises(InvalidParameter, match="n_components must be") as refusal:
        fit_transform(wire, numbers())
    assert refusal.value.loc == ("params", "n_components")


def test_invalid_pca_of_more_components_than_there_are() -> None:
    with pytest.raises(InsufficientData, match=r"n_components is 4, but .* at most 3"):
        fit_transform({"name": "pca", "params": {"n_components": 4}}, numbers())


@pytest.mark.parametrize(
    ("params", "column", "error", "words"),
    [
        ({"strategy": "mean"}, [NAN, NAN], InsufficientData, "Column 'a' has only missing values"),
        ({"strategy": "mean"}, strings("x", None), InvalidParameter, "Column 'a' is not numeric"),
        (
            {"strategy": "constant", "fill_value": "x"},
            [1.0, NAN],
            InvalidParameter,
            "fill_value 'x' does not fit column 'a'",
        ),
        (
            {"strategy": "constant", "fill_value": 1},
            strings("x", None),
            InvalidParameter,
            "fill_value 1.0 does not fit column 'a'",
        ),
    ],
)
def test_invalid_impute_of_a_column(
    params: dict[str, Any], column: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        fit_transform({"name": "impute", "params": params}, one_column(column))


@pytest.mark.parametrize("params", [{"strategy": "constant"}, {"fill_value": 1.0}])
def test_invalid_impute_fill_value_and_strategy_belong_together(params: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter, match="fill_value belongs to") as refusal:
        fit_transform({"name": "impute", "params": params}, numbers())
    assert refusal.value.loc == ("params", "fill_value")


@pytest.mark.about("steps/standardise")
def test_exact_standardised_columns_have_mean_0_and_variance_1() -> None:
    part = numbers(50, 5)
    fitted_step, made = fit_transform("standardise", part)

    np.testing.assert_allclose(made.matrix().mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(made.matrix().var(axis=0), 1, rtol=1e-12)
    # what is learnt is a map of a value: a part of the rows goes where it went among all
    first_rows = Features(part.names, tuple(column[:7] for column in part.columns))
    np.testing.assert_array_equal(fitted_step.transform(first_rows).matrix(), made.matrix()[:7])


@pytest.mark.about("steps/impute")
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_limit_impute_leaves_whole_columns_as_they_are(strategy: str) -> None:
    part = numbers(20)
    _, made = fit_transform({"name": "impute", "params": {"strategy": strategy}}, part)

    np.testing.assert_array_equal(made.matrix(), part.matrix())


@pytest.mark.about("steps/one_hot")
def test_exact_one_hot_columns_say_which_one_category_a_row_has() -> None:
    words = np.random.default_rng(6).choice(["book", "dvd", "toy"], size=40)
    _, made = fit_transform("one_hot", one_column(words.astype(object)))

    np.testing.assert_array_equal(made.matrix().sum(axis=1), np.ones(40))
    back = [made.names[k].removeprefix("a=") for k in made.matrix().argmax(axis=1)]
    assert back == words.tolist()


@pytest.mark.about("steps/pca")
def test_exact_all_components_turn_the_points_and_no_more() -> None:
    part = numbers(30, 4)
    _, made = fit_transform("pca", part)
    X, Z = part.matrix(), made.matrix()

    def squared_distances(points: np.ndarray) -> np.ndarray:
        return np.asarray(((points[:, None] - points[None]) ** 2).sum(axis=2))

    np.testing.assert_allclose(squared_distances(Z), squared_distances(X), rtol=1e-9, atol=1e-12)
    # the components are uncorrelated, and their variances are the covariance's eigenvalues
    np.testing.assert_allclose(
        np.cov(Z.T), np.diag(np.linalg.eigvalsh(np.cov(X.T))[::-1]), atol=1e-12
    )


@pytest.mark.about("steps/one_hot")
@pytest.mark.outside("scikit-learn OneHotEncoder, run here")
def test_against_sklearn_one_hot() -> None:
    words = np.random.default_rng(9).choice(["book", "dvd", "toy", "food"], size=50)
    _, made = fit_transform("one_hot", one_column(words.astype(object)))

    theirs = OneHotEncoder(sparse_output=False).fit(words[:, None])
    np.testing.assert_array_equal(made.matrix(), theirs.transform(words[:, None]))
    assert made.names == tuple(f"a={word}" for word in theirs.categories_[0])
