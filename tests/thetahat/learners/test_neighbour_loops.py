"""Searches large enough for compiled loops, beside those that are not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.thetahat.learners.fits import predicted
from thetahat.cross_validation import build_rows, group_by_parameter, run_path, run_splits
from thetahat.cross_validation.fast_path import build_part, prepare_fast_path
from thetahat.learners.base import OrdinaryFit
from thetahat.learners.fast.neighbours import compiled_search
from thetahat.learners.fast.neighbours import search as _neighbour_search
from thetahat.learners.fast.neighbours.compiled_search import RoughRows, loops_suit, tree_suits
from thetahat.learners.fast.neighbours.search import NeighbourLists, Search, squared_distances
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.losses.base import Predictions
from thetahat.losses.zero_one import ZeroOne
from thetahat.numerics.loops.nearest_rows import ranked_by_kernel
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Split
from thetahat.tables.data import build_data
from thetahat.values.types import FloatArray

RNG = np.random.default_rng(20_261_131)
N, LENGTH = 1100, 9


def by_products(rows: FloatArray, queries: FloatArray) -> NeighbourLists:
    return Search(rows)._search_in_blocks(queries, LENGTH)


def cases() -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return rows and queries that are hard for numbers of four bytes, by name."""
    rows = RNG.normal(size=(N, 7))
    far = rows.copy()
    far[::100] *= 1e9
    grouped = rows + 1e5 * (np.arange(N) % 3)[:, None]
    return {
        "normal": (rows, rows),
        "offset": (rows + 1e6, rows + 1e6),
        "some far": (far, far),
        "all tiny": (rows * 1e-150, rows * 1e-150),
        "all large": (rows * 1e150, rows * 1e150),
        "grouped": (grouped, grouped),
        "queries far": (rows, rows * 1e30),
        "alike": (np.rint(rows), np.rint(rows)),
        "the same": (np.ones((N, 7)), np.ones((N, 7))),
    }


@pytest.mark.parametrize("name", list(cases()))
def test_exact_lists_and_nearest_as_by_products(name: str) -> None:
    rows, queries = cases()[name]
    assert loops_suit(N, 7, len(queries), LENGTH)

    lists, wanted = Search(rows).lists(queries, LENGTH), by_products(rows, queries)
    nearest, squares = Search(rows).nearest(queries[:200], LENGTH - 8)

    both = np.minimum(lists.complete_below, wanted.complete_below)[:, None]
    known = wanted.squares < both
    assert_array_equal(lists.rows[known], wanted.rows[known])
    assert_array_equal(lists.squares[known], wanted.squares[known])
    of_all = ((queries[:200, None, :] - rows) ** 2).sum(axis=2)
    order = np.argsort(of_all, axis=1, kind="stable")[:, : LENGTH - 8]
    assert_array_equal(nearest, order)
    assert_array_equal(squares, np.take_along_axis(of_all, order, axis=1))


@pytest.mark.parametrize("p", [1, 8, 9, 128, 129, 137, 257, 2000, 16_385, 40_000])
def test_exact_distances_are_summed_in_the_order_of_the_products(p: int) -> None:
    rows, queries = RNG.normal(size=(12, p)), RNG.normal(size=(3, p))
    candidates = np.tile(np.arange(12), (3, 1))

    nearest, squares = ranked_by_kernel(queries, rows, candidates, np.full(3, 12), 12)

    wanted = squared_distances(queries, rows[candidates])
    order = np.argsort(wanted, axis=1, kind="stable")
    assert_array_equal(nearest, order)
    assert_array_equal(squares, np.take_along_axis(wanted, order, axis=1))


def test_exact_many_columns_as_by_products() -> None:
    rows = RNG.normal(size=(1000, 300)) + RNG.integers(0, 3, 1000)[:, None]
    assert loops_suit(1000, 300, 1000, LENGTH)

    lists, wanted = Search(rows).lists(rows, LENGTH), by_products(rows, rows)

    assert_array_equal(lists.rows, wanted.rows)
    assert_array_equal(lists.squares, wanted.squares)


@pytest.mark.parametrize("name", [name for name in cases() if name != "the same"])
def test_property_lists_are_complete(name: str) -> None:
    """Also where many rows are equally far: those with the lowest numbers are listed."""
    rows, queries = cases()[name]

    nearest, squares, below = RoughRows(rows).lists(queries, LENGTH)

    assert (squares[:, -1] < below).all()
    of_all = ((queries[:50, None, :] - rows) ** 2).sum(axis=2)
    assert_array_equal(nearest[:50], np.argsort(of_all, axis=1, kind="stable")[:, :LENGTH])


def test_degenerate_more_equal_rows_than_the_list_has_places() -> None:
    rows = np.ones((5000, 7))
    queries = rows[:201].copy()
    queries[200] = 9.0

    lists = Search(rows).lists(queries, LENGTH)

    assert np.isneginf(RoughRows(rows).lists(queries, LENGTH)[2]).all()
    assert (lists.complete_below <= lists.squares[:, 0]).all()
    assert Search(rows).nearest(queries, 2)[0].tolist() == [[0, 1]] * 201


@pytest.mark.parametrize(
    ("p", "apart"), [(3, 3.0), (7, 3.0), (128, 3.0), (3, 300.0), (7, 300.0), (128, 30.0)]
)
def test_exact_a_list_is_complete_up_to_its_stated_distance(p: int, apart: float) -> None:
    """Far from the middle, rounding takes rows that are not the nearest for it."""
    rows = RNG.normal(size=(N, p)) + apart * (np.arange(N) % 3 == 0)[:, None]
    queries = rows[::3]

    nearest, squares, below = RoughRows(rows).lists(queries, LENGTH)

    assert (squares[:, -1] < below).all()
    of_all = ((queries[:, None, :] - rows) ** 2).sum(axis=2)
    for row, listed, bound in zip(of_all, nearest, below, strict=True):
        near = np.flatnonzero(row < bound)
        order = near[np.argsort(row[near], kind="stable")][:LENGTH]
        assert_array_equal(listed[: len(order)], order)


@pytest.mark.parametrize(("n", "p"), [(N, 2), (500, 7)])
def test_exact_which_searches_the_loops_are_for(n: int, p: int) -> None:
    assert not loops_suit(n, p, n, LENGTH)
    assert not loops_suit(n, 7, n, n // 4 + 1)


def test_property_few_queries_prepare_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = RNG.normal(size=(40, 3))
    monkeypatch.setattr(_neighbour_search, "NUMBERS_IN_2_MB", 30)

    lists = Search(rows).lists(rows[:3], 5)

    order = np.argsort(((rows[:3, None] - rows) ** 2).sum(axis=2), axis=1, kind="stable")
    assert_array_equal(lists.rows, order[:, :5])
    assert np.isinf(lists.complete_below).all()


@pytest.mark.parametrize("scheme", ["k_fold", "repeated_k_fold", "split_half"])
def test_naive_fits_of_many_rows(scheme: str) -> None:
    X, y = np.rint(3 * RNG.normal(size=(N, 6))), RNG.integers(0, 3, N)
    data = build_data({f"x{j}": X[:, j] for j in range(6)}, y, "classification")
    learner = NearestNeighbours(k=4)
    params = {"k_fold": {"n_folds": 4}, "repeated_k_fold": {"n_folds": 2, "n_repeats": 2}}
    splits = (
        [Split(0, at, at, np.arange(at, N, 2), np.arange(1 - at, N, 2)) for at in (0, 1)]
        if scheme == "split_half"
        else list(SCHEMES[scheme](**params[scheme]).splits(build_rows(data), 3))
    )

    done = run_splits("m", learner, data, splits, ZeroOne(), 0, keep_predictions=True)
    (group,) = group_by_parameter({"a": learner, "b": NearestNeighbours(k=9)})
    path = run_path(group, data, splits, ZeroOne(), 0, keep_predictions=True)["a"]

    assert not isinstance(path, Exception)
    for split, outcome, other in zip(splits, done, path, strict=True):
        train, test = split.train, split.test
        wanted = predicted(learner, X[train], y[train], X[test], n_classes=3)
        assert outcome.fit_reason is None
        for prediction in (outcome, other):
            assert prediction.output is not None
            assert_array_equal(prediction.output, wanted.output)
            assert_array_equal(prediction.probabilities, wanted.probabilities)


def test_exact_refused_splits_keep_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = RNG.normal(size=(60, 3)), RNG.normal(size=60)
    data = build_data({f"x{j}": X[:, j] for j in range(3)}, y, "regression")
    monkeypatch.setattr("thetahat.learners.fast.neighbours.over_splits._MAX_ENTRIES", 300)
    shared = prepare_fast_path(NearestNeighbours(k=3), data)
    whole, twice = np.arange(60), np.repeat(np.arange(30), 2)
    splits = [Split(0, at, at, whole[10:], whole[:10]) for at in range(9)]
    splits[2] = Split(0, 2, 2, whole[:2], whole[2:])
    splits[4] = splits[7] = splits[8] = Split(0, 4, 4, twice, whole[30:])
    assert not isinstance(shared, OrdinaryFit)

    predictions = shared.predict_all([build_part(split, 60) for split in splits])

    assert [
        isinstance(predictions_of_split, OrdinaryFit) for predictions_of_split in predictions
    ] == [at in (2, 4, 7, 8) for at in range(9)]
    for predictions_of_split in predictions:
        if isinstance(predictions_of_split, Predictions):
            wanted = predicted(NearestNeighbours(k=3), X[10:], y[10:], X[:10])
            assert_array_equal(predictions_of_split.output, wanted.output)


@pytest.mark.parametrize("apart", [1, 10**6])
def test_exact_lists_of_a_tree_end_with_the_lowest_of_rows_equally_far(
    apart: int,
) -> None:
    rows = apart * RNG.integers(0, 3, (N, 2)).astype(np.float64) + 0.1
    queries = np.concatenate([rows[:60], rows[60:90] + 0.25, [[7.0 * apart, 0.3]]])

    lists = Search(rows)._search_by_tree(queries, LENGTH)

    of_all = ((queries[:, None, :] - rows) ** 2).sum(axis=2)
    order = np.argsort(of_all, axis=1, kind="stable")[:, :LENGTH]
    assert (lists.squares[:, -1] < lists.complete_below).all()
    assert_array_equal(lists.rows, order)
    assert_array_equal(lists.squares, np.take_along_axis(of_all, order, axis=1))


def test_degenerate_more_rows_equally_far_than_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_neighbour_search, "_MAX_EQUALLY_FAR", 100)
    monkeypatch.setattr(compiled_search, "MIN_PAIRS_FOR_LOOPS", 1)
    rows = np.concatenate([np.zeros((101, 2)), np.ones((100, 2))])
    assert tree_suits(201, 2, 201)

    lists = Search(rows).lists(rows, LENGTH)

    assert_array_equal(lists.squares[:, -1] < lists.complete_below, rows[:, 0] == 1)
    assert_array_equal(Search(rows).nearest(rows, 1)[0][:, 0], np.repeat([0, 101], [101, 100]))


@pytest.mark.parametrize("p", [2, 20])
def test_exact_a_list_of_all_rows_is_marked_complete(p: int) -> None:
    rows = RNG.integers(0, 2, (70, p)).astype(np.float64)

    lists = Search(rows).lists(rows, 80)

    of_all = ((rows[:, None, :] - rows) ** 2).sum(axis=2)
    assert np.isinf(lists.complete_below).all()
    assert_array_equal(lists.rows, np.argsort(of_all, axis=1, kind="stable"))
