"""A data set taken as the population."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat.analyses.studies.dataset_population import DataAsPopulation
from thetahat.analyses.studies.generated_population import GeneratedData
from thetahat.analyses.studies.population import DrawnData
from thetahat.analyses.studies.row_subsets import separate_copies
from thetahat.cross_validation import build_rows
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.generators import DrawSize
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Split
from thetahat.tables.data import Data, build_data

N = 60
ROW = np.arange(float(N))
SOURCE = np.repeat(["a", "b", "c", "d"], 15)


def everything(*, source: bool = True) -> Data:
    """A row's feature is its number, so that rows can be told apart."""
    target = np.where(ROW % 2 == 0, "even", "odd").tolist()
    sources = SOURCE.tolist() if source else None
    return build_data({"row": ROW, "copy": ROW}, target, "classification", source=sources)


def numbers(data: Data | None) -> list[int]:
    assert data is not None
    return [int(number) for number in data.features.columns[0]]


def drawn(population: DataAsPopulation, size: DrawSize, seed: int = 0) -> DrawnData:
    draw = population.draw_sources(size, np.random.default_rng(seed))(size, seed)
    assert isinstance(draw, DrawnData)
    return draw


def test_exact_the_rest_has_the_rows_that_are_not_drawn() -> None:
    draw = drawn(DataAsPopulation(data=everything()), DrawSize(n=20))

    assert len(set(numbers(draw.data))) == 20
    assert sorted(numbers(draw.data) + numbers(draw.rest())) == list(range(N))
    assert draw.outside() is None
    assert draw.group is None
    assert draw.data.classes == draw.rest().classes == ("even", "odd")


def test_exact_sources_are_drawn_and_the_others_are_outside() -> None:
    draw = drawn(DataAsPopulation(data=everything()), DrawSize(n_sources=2, per_source=5))

    assert draw.data.source is not None
    labels, counts = np.unique(draw.data.source, return_counts=True)
    assert counts.tolist() == [5, 5]
    inside = {i for i in range(N) if SOURCE[i] in set(labels)}
    assert set(numbers(draw.data)) | set(numbers(draw.rest())) == inside
    assert set(numbers(draw.outside())) == set(range(N)) - inside
    assert draw.by_source


def test_exact_rows_in_all_from_some_sources() -> None:
    draw = drawn(DataAsPopulation(data=everything()), DrawSize(n=10, n_sources=3))

    assert draw.data.n == 10
    assert len(numbers(draw.outside())) == 15
    assert not draw.by_source


def test_exact_rows_drawn_twice_are_of_one_group_and_the_truth_is_of_all_rows() -> None:
    draw = drawn(DataAsPopulation(data=everything(), replace=True), DrawSize(n=80))
    rows = numbers(draw.data)

    assert draw.group is not None
    assert len(set(rows)) < 80
    for i, j in [(0, 1), (5, 6), (30, 31)]:
        assert (draw.group[i] == draw.group[j]) == (rows[i] == rows[j])
    assert numbers(draw.rest()) == list(range(N))


def test_exact_copies_of_what_was_drawn_are_not_of_the_truth() -> None:
    group = ROW.astype(int) // 2  # rows 0 and 1 are copies, 2 and 3, ...
    draw = drawn(
        DataAsPopulation(data=everything(), group=group), DrawSize(n_sources=2, per_source=6)
    )
    taken = {row // 2 for row in numbers(draw.data)}

    assert taken.isdisjoint(row // 2 for row in numbers(draw.rest()))
    assert taken.isdisjoint(row // 2 for row in numbers(draw.outside()))
    assert draw.group is not None
    assert len(set(draw.group.tolist())) == len(taken)


def test_exact_the_truth_is_taken_on_at_most_so_many_rows() -> None:
    draw = drawn(DataAsPopulation(data=everything(), n_judged=7), DrawSize(n=20))

    assert len(set(numbers(draw.rest()))) == 7
    assert set(numbers(draw.rest())).isdisjoint(numbers(draw.data))


def test_exact_the_same_seed_draws_the_same() -> None:
    population = DataAsPopulation(data=everything())
    first, same, other = (drawn(population, DrawSize(n=20), seed) for seed in (1, 1, 2))

    assert numbers(first.data) == numbers(same.data) != numbers(other.data)


def test_exact_copies_are_on_one_side_of_every_split() -> None:
    group = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    data = build_data({"x": np.arange(10.0)}, np.arange(10.0), "regression")
    splits = list(SCHEMES["k_fold"](n_folds=5).splits(build_rows(data), 3))  # type: ignore[call-arg]

    for before, after in zip(splits, separate_copies(splits, group), strict=True):
        assert np.array_equal(before.test, after.test)
        assert set(group[after.train]).isdisjoint(group[after.test])
        away = set(before.train) - set(after.train)
        assert all(group[row] in group[before.test] for row in away)


def test_invalid_a_split_of_nothing_but_copies() -> None:
    split = Split(0, 1, 1, np.array([0]), np.array([1]))

    with pytest.raises(InsufficientData, match="Repeat 0, block 1 has no training rows"):
        list(separate_copies([split], np.array([0, 0])))


def test_invalid_draws() -> None:
    population = DataAsPopulation(data=everything())

    with pytest.raises(InsufficientData, match="16 rows cannot be drawn from 15"):
        drawn(population, DrawSize(n_sources=2, per_source=16))
    with pytest.raises(
        InvalidParameter, match="n_sources is 5, and the data set has only 4 sources"
    ):
        drawn(population, DrawSize(n_sources=5, per_source=1))
    with pytest.raises(InvalidParameter, match="needs the source"):
        drawn(DataAsPopulation(data=everything(source=False)), DrawSize(n_sources=2, per_source=1))
    with pytest.raises(InsufficientData, match="No rows are left"):
        drawn(population, DrawSize(n=N)).rest()


def test_exact_a_generators_sources_stay_and_others_are_outside() -> None:
    population = GeneratedData(TwoClassGaussian(n_features=2, n_relevant=1, source_spread=9), 200)
    size = DrawSize(n_sources=2, per_source=4)
    draw = population.draw_sources(size, np.random.default_rng(0))(size, 3)
    assert isinstance(draw, DrawnData)
    outside = draw.outside()

    assert outside is not None
    assert outside.source is not None
    assert len(set(outside.source.tolist())) == 100
    assert draw.rest().n == 200
    for source in (0, 1):  # the same centre in what is learnt from and in what is judged on
        means = []
        for data in (draw.data, draw.rest()):
            assert data.source is not None
            means.append(data.features.matrix()[data.source == source].mean(axis=0))
        assert np.abs(means[0] - means[1]).max() < 5 * np.sqrt(1.25 / 4)


def test_exact_risks_are_taken_on_rows_that_are_in_no_clusters() -> None:
    generator = TwoClassGaussian(cluster_size=5, cluster_correlation=1.0)
    size = DrawSize(n_sources=3, per_source=10)
    draw = GeneratedData(generator, 90).draw_sources(size, np.random.default_rng(0))(size, 1)
    assert isinstance(draw, DrawnData)
    outside = draw.outside()

    assert draw.data.cluster is not None
    assert np.unique(draw.data.cluster).tolist() == [0, 1, 2, 3, 4, 5]
    assert draw.rest().cluster is None
    assert len(np.unique(draw.rest().features.matrix(), axis=0)) == 90
    assert outside is not None  # where one new source is seen as it would be
    assert outside.cluster is not None
