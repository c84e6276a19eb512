from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.against import both
from tests.thetahat.learners.fits import predicted, probabilities
from thetahat.cross_validation import build_rows, run_splits
from thetahat.cross_validation.fast_path import predict_split, prepare_fast_path
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.learners.base import OrdinaryFit
from thetahat.learners.fast.neighbours.search import Search, smallest
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.losses.base import Predictions
from thetahat.losses.squared import Squared
from thetahat.schemes import SCHEMES
from thetahat.tables.data import build_data
from thetahat.values.types import FloatArray

LINE = [[0.0], [1.0], [3.0], [6.0]]


def test_by_hand_mean_and_vote_of_two() -> None:
    # nearest to 2.5 are 3 and 1, at distances 0.5 and 1.5: weights 2 and 2/3, shares 3/4 and 1/4
    equal, near = NearestNeighbours(k=2), NearestNeighbours(k=2, votes="distance")
    values, codes = [0.0, 10, 20, 30], [0, 0, 1, 1]

    assert_allclose(predicted(equal, LINE, values, [[2.5]]).output, [15.0], rtol=1e-14)
    assert_allclose(predicted(near, LINE, values, [[2.5]]).output, [17.5], rtol=1e-14)
    predictions = predicted(near, LINE, codes, [[2.5]], n_classes=3)
    assert_allclose(probabilities(predictions), [[0.25, 0.75, 0.0]], rtol=1e-14)
    assert_array_equal(predicted(equal, LINE, codes, [[2.5]], n_classes=2).output, [0])  # a tie


def test_by_hand_weights_vote_and_rows_without_weight_do_not() -> None:
    # nearest to 0 with weight are 0 and 3; (1 x 0 + 3 x 20)/4
    predictions = predicted(
        NearestNeighbours(k=2), LINE, [0.0, 10, 20, 30], [[0.0]], weights=[1, 0, 3, 1]
    )

    assert_allclose(predictions.output, [15.0], rtol=1e-14)


def test_by_hand_of_rows_equally_far_the_first_are_taken() -> None:
    # all of the rows lie at 1 or -1, so at distance 1 of 0: the first three are taken
    X = [[1.0], [-1], [1], [-1], [1], [-1], [1], [-1], [1], [-1], [1], [-1], [1], [-1]]
    y = np.arange(14.0)

    assert_array_equal(predicted(NearestNeighbours(k=3), X, y, [[0.0]]).output, [1.0])


def test_degenerate_at_a_training_row_only_rows_at_that_point_count() -> None:
    predictions = predicted(
        NearestNeighbours(k=3, votes="distance"), [[1.0], [1.0], [2.0]], [1.0, 2, 9], [[1.0]]
    )

    assert_array_equal(predictions.output, [1.5])


@pytest.mark.outside("scikit-learn KNeighborsClassifier, run here on its own data")
@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out"])
@pytest.mark.parametrize("votes", ["equal", "distance"])
@pytest.mark.parametrize("name", ["wine", "breast_cancer"])
def test_against_sklearn_classifier(
    name: str, votes: Literal["equal", "distance"], scheme: str
) -> None:
    from sklearn import datasets
    from sklearn.neighbors import KNeighborsClassifier

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X, y = X[::2], y[::2]
    theirs = KNeighborsClassifier(7, weights="uniform" if votes == "equal" else votes)

    ours, wanted = both(NearestNeighbours(k=7, votes=votes), theirs, X, y, scheme)

    assert_allclose(ours, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.outside("scikit-learn KNeighborsRegressor, run here on its own diabetes data")
@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_source_out"])
@pytest.mark.parametrize("n_columns", [3, 10])
def test_against_sklearn_regressor(n_columns: int, scheme: str) -> None:
    from sklearn.datasets import load_diabetes
    from sklearn.neighbors import KNeighborsRegressor

    X, y = load_diabetes(return_X_y=True)
    # Rows that are equally far are taken in another order there.
    X = X[:, :n_columns] + 1e-6 * np.random.default_rng(1).normal(size=(len(y), n_columns))
    source = [f"s{int(at)}" for at in np.digitize(X[:, 2], [-0.03, 0.0, 0.03])]

    ours, wanted = both(NearestNeighbours(), KNeighborsRegressor(), X, y, scheme, source=source)

    assert_allclose(ours, wanted, rtol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e8])
@pytest.mark.parametrize("p", [2, 30])
def test_naive_distances_of_all_pairs(p: int, offset: float) -> None:
    rng = np.random.default_rng(20_261_208)
    rows = rng.normal(size=(600, p)) + offset
    queries = np.concatenate([rows[:40], rng.normal(size=(40, p)) + offset])

    nearest, squares = Search(rows).nearest(queries, 6)

    of_all = ((queries[:, None, :] - rows) ** 2).sum(axis=2)
    order = np.argsort(of_all, axis=1, kind="stable")[:, :6]
    assert_array_equal(nearest, order)
    assert_array_equal(squares, np.take_along_axis(of_all, order, axis=1))


@pytest.mark.parametrize("p", [2, 14])
def test_naive_many_rows_equally_far(p: int) -> None:
    """Whole numbers, most of them often: lists end among rows that are equally far."""
    rng = np.random.default_rng(20_261_209)
    rows = rng.integers(0, 2, size=(200, p)).astype(np.float64)

    nearest, _ = Search(rows).nearest(rows, 5)

    of_all = ((rows[:, None, :] - rows) ** 2).sum(axis=2)
    assert_array_equal(nearest, np.argsort(of_all, axis=1, kind="stable")[:, :5])


@pytest.mark.parametrize("values", [1, 40, 10**6])
@pytest.mark.parametrize("n", [40, 500, 517])
def test_naive_smallest_of_each_row(n: int, values: int) -> None:
    table = np.random.default_rng(20_261_217).integers(0, values, (30, n)).astype(np.float64)

    columns = smallest(table, 7)

    wanted = np.sort(table, axis=1)[:, :7]
    assert_array_equal(np.sort(np.take_along_axis(table, columns, axis=1), axis=1), wanted)
    assert all(len(set(row)) == 7 for row in columns.tolist())


def test_exact_smallest_where_the_bound_leaves_no_choice() -> None:
    table = np.tile(np.arange(64.0), (2, 1))

    assert_array_equal(smallest(table, 2), [[0, 1], [0, 1]])


def test_exact_lists_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(20_261_210).normal(size=(90, 20))
    whole = Search(rows).nearest(rows, 4)

    monkeypatch.setattr("thetahat.learners.fast.neighbours.search.NUMBERS_IN_2_MB", 500)

    in_parts = Search(rows).nearest(rows, 4)
    assert_array_equal(in_parts[0], whole[0])
    assert_array_equal(in_parts[1], whole[1])


@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_source_out", "leave_one_out"])
@pytest.mark.parametrize("p", [2, 20])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_naive_fits_of_many_rows_in_clusters(task: str, p: int, scheme: str) -> None:
    """Sources that lie apart: a row's list holds hardly any row of another source."""
    rng = np.random.default_rng(20_261_211)
    n = 300
    source = np.arange(n) % 4
    X = rng.normal(size=(n, p)) + 9.0 * source[:, None]
    y = rng.normal(size=n) if task == "regression" else rng.integers(0, 3, n)
    data = build_data({f"x{j}": X[:, j] for j in range(p)}, y, task, source=source)
    learner = NearestNeighbours(k=4, votes="distance")
    shared = prepare_fast_path(learner, data)

    for split in SCHEMES[scheme]().splits(build_rows(data), 3):
        predictions = predict_split(shared, split, n)

        assert isinstance(predictions, Predictions)
        train, test = split.train, split.test
        wanted = predicted(learner, X[train], data.y[train], X[test], n_classes=data.n_classes)
        assert_array_equal(predictions.output, wanted.output)


def test_property_lists_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(20_261_212).normal(size=(80, 3))
    data = build_data({f"x{j}": X[:, j] for j in range(3)}, X[:, 0], "regression")
    queries: list[int] = []
    lists = Search.lists

    def counted(search: Search, rows: FloatArray, length: int) -> object:
        queries.append(len(rows))
        return lists(search, rows, length)

    monkeypatch.setattr(Search, "lists", counted)
    for scheme in ("leave_one_out", "k_fold"):
        splits = SCHEMES[scheme]().splits(build_rows(data), 0)
        run_splits("m", NearestNeighbours(k=3), data, splits, Squared(), 0)

    assert queries == [80]


def test_degenerate_no_queries() -> None:
    rows = np.random.default_rng(20_261_213).normal(size=(90, 20))

    nearest, squares = Search(rows).nearest(rows[:0], 4)

    assert nearest.shape == squares.shape == (0, 4)


def test_invalid_k() -> None:
    with pytest.raises(InvalidParameter, match="k must be from 1 to 10000000; got 0"):
        NearestNeighbours(k=0)


def test_invalid_fewer_rows_than_neighbours() -> None:
    learner = NearestNeighbours(k=4)
    data = build_data({"a": [1.0, 2.0, 3.0]}, [1.0, 2.0, 3.0], "regression")

    with pytest.raises(InsufficientData, match="3 rows with weight, and 4 neighbours"):
        predicted(learner, LINE, [0.0, 1, 2, 3], [[0.0]], weights=[1, 0, 1, 1])
    assert isinstance(prepare_fast_path(learner, data), OrdinaryFit)
