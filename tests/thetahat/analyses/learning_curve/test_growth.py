from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.analyses.learning_curve.growth import GrowBy, Growth, choose_growth, grow_splits
from thetahat.errors import InsufficientData, InvalidParameter, UnsupportedCombination
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Rows, Split

RNG = np.random.default_rng(31)
SOURCE = np.repeat([0, 1, 2, 3, 4, 5], [3, 9, 4, 8, 10, 6])
Y = RNG.permutation(np.repeat([0, 1, 2], [24, 12, 4]))
ROWS = Rows(n=40, y=Y, source=SOURCE, time=RNG.permutation(40).astype(float))


def parts(growth: Growth, scheme: str, seed: int = 5, rows: Rows = ROWS) -> list[list[Split]]:
    """By split, its part at every size."""
    splits = list(SCHEMES[scheme]().splits(rows, seed))
    by_size = [list(grow_splits(splits, growth, rows, seed, s)) for s in range(len(growth.sizes))]
    return [list(of_split) for of_split in zip(*by_size, strict=True)]


@pytest.mark.parametrize(
    ("scheme", "grow_by", "stratified"),
    [
        ("k_fold", "instance", False),
        ("k_fold", "instance", True),
        ("leave_one_source_out", "source", False),
        ("k_fold", "time", False),
        ("bootstrap", "instance", False),
    ],
)
def test_property_the_smaller_is_part_of_the_larger(
    scheme: str,
    grow_by: GrowBy,
    stratified: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    growth = Growth(sizes=(0.2, 0.5, 0.8, 1.0), grow_by=grow_by, stratified=stratified)
    whole = list(SCHEMES[scheme]().splits(ROWS, 5))
    for of_split, split in zip(parts(growth, scheme), whole, strict=True):
        counts = np.array([np.bincount(part.train, minlength=40) for part in of_split])
        assert (np.diff(counts, axis=0) >= 0).all()
        assert (np.diff(counts.sum(axis=1)) > 0).all()
        assert_array_equal(of_split[-1].train, split.train)
        for part in of_split:
            assert_array_equal(part.test, split.test)
            assert (np.diff(part.train) >= 0).all()


def test_exact_a_stratified_part_has_the_class_shares() -> None:
    growth = Growth(sizes=tuple(range(2, 37)), grow_by="instance", stratified=True)
    for of_split in parts(growth, "k_fold"):
        whole = np.bincount(Y[of_split[-1].train], minlength=3)
        for part in of_split:
            counts = np.bincount(Y[part.train], minlength=3)
            excess = counts - whole * len(part.train) / 36
            assert (excess <= 1).all()
            assert (excess >= -2).all()
            if len(part.train) >= 3:
                assert (counts > 0).all()


def test_exact_sources_come_whole() -> None:
    growth = Growth(sizes=(2, 3, 5), grow_by="source")
    for of_split in parts(growth, "leave_one_source_out"):
        for part, n_sources in zip(of_split, (2, 3, 5), strict=True):
            there = np.unique(SOURCE[part.train])
            assert len(there) == n_sources
            assert_array_equal(part.train, np.flatnonzero(np.isin(SOURCE, there)))


def test_exact_folds_of_a_column_are_sources_where_there_are_no_others() -> None:
    rows = Rows(n=40, fold=SOURCE)
    growth = Growth(sizes=(2, 5), grow_by="source")

    for of_split in parts(growth, "predefined", rows=rows):
        assert len(np.unique(SOURCE[of_split[0].train])) == 2


def test_exact_time_keeps_the_latest() -> None:
    assert ROWS.time is not None
    growth = Growth(sizes=(5, 1.0), grow_by="time")
    for small, whole in parts(growth, "time_series"):
        kept = ROWS.time[small.train]
        dropped = ROWS.time[np.setdiff1d(whole.train, small.train)]
        assert len(kept) == 5
        assert dropped.size == 0 or dropped.max() < kept.min()


def test_property_the_order_depends_on_seed_and_split_alone() -> None:
    growth = Growth(sizes=(10,), grow_by="instance")
    again = Growth(sizes=(0.1, 10, 20), grow_by="instance")
    first, other = parts(growth, "k_fold"), parts(again, "k_fold")

    for a, b in zip(first, other, strict=True):
        assert_array_equal(a[0].train, b[1].train)
    assert any(
        not np.array_equal(a[0].train, b[0].train)
        for a, b in zip(first, parts(growth, "k_fold", seed=6), strict=True)
    )


def test_exact_each_scheme_grows_in_its_own_way() -> None:
    def way(scheme: str, task: str) -> tuple[str, bool]:
        growth = choose_growth((0.5,), SCHEMES[scheme](), task)
        return growth.grow_by, growth.stratified

    assert way("k_fold", "classification") == ("instance", True)
    assert way("k_fold", "regression") == ("instance", False)
    assert way("leave_one_source_out", "classification") == ("source", False)
    assert way("time_series", "classification") == ("time", False)
    chosen = choose_growth(
        (0.5,), SCHEMES["leave_one_source_out"](), "regression", grow_by="instance"
    )
    assert (chosen.grow_by, chosen.stratified) == ("instance", False)
    chosen = choose_growth((0.5,), SCHEMES["k_fold"](), "classification", stratified=False)
    assert not chosen.stratified


def test_invalid_requests_are_refused_in_place() -> None:
    with pytest.raises(InvalidParameter, match="'luck' of grow_by is not one of") as refused:
        Growth(sizes=(0.5,), grow_by="luck")  # type: ignore[arg-type]  # on purpose
    assert refused.value.loc == ("grow_by",)
    with pytest.raises(UnsupportedCombination, match="is for single rows"):
        Growth(sizes=(0.5,), grow_by="source", stratified=True)
    with pytest.raises(UnsupportedCombination, match="the task is regression"):
        choose_growth((0.5,), SCHEMES["k_fold"](), "regression", stratified=True)
    with pytest.raises(InvalidParameter, match="needs the source of each row"):
        parts(Growth(sizes=(2,), grow_by="source"), "k_fold", rows=Rows(n=40))
    with pytest.raises(InvalidParameter, match="needs the time of each row"):
        parts(Growth(sizes=(2,), grow_by="time"), "k_fold", rows=Rows(n=40))
    with pytest.raises(
        InsufficientData,
        match="6 is larger than the training part of repeat 0, block 0, which has 5",
    ):
        parts(Growth(sizes=(6,), grow_by="source"), "leave_one_source_out")
