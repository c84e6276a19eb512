"""What holds for every scheme of the registry."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thetahat.schemes.some_rows import drawn, plain, rows_with
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.references import REFERENCES
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Rows, Scheme
from thetahat.values.types import BlockKind

SMALL = {  # parameters for few rows, where the defaults ask for more
    "k_fold": {"n_folds": 3},
    "nested": {"n_folds": 3},
    "repeated_k_fold": {"n_folds": 3, "n_repeats": 3},
    "source_k_fold": {"n_folds": 2},
    "stratified_k_fold": {"n_folds": 3},
    "bootstrap": {"n_resamples": 6},
    "complete_subsampling": {"test_size": 2},
    "random_subsampling": {"n_draws": 4},
    "stratified_repeated_k_fold": {"n_folds": 3, "n_repeats": 2},
    "stratified_source_k_fold": {"n_folds": 2},
    "time_series": {"n_folds": 3},
}
EVERY = pytest.mark.parametrize("name", SCHEMES)
DRAWS = {
    "bootstrap",
    "five_by_two",
    "holdout",
    "k_fold",
    "nested",
    "random_subsampling",
    "repeated_k_fold",
    "stratified_k_fold",
    "stratified_repeated_k_fold",
    "three_way",
}


def scheme_of(name: str) -> Scheme:
    return SCHEMES[name](**SMALL.get(name, {}))


@EVERY
@given(n=st.integers(6, 60), seed=st.integers(0, 2**63 - 1))
def test_property_no_row_is_on_both_sides_of_a_split(name: str, n: int, seed: int) -> None:
    for split in scheme_of(name).splits(rows_with(n), seed):
        assert np.intersect1d(split.train, split.test).size == 0
        both = {*split.train.tolist(), *split.test.tolist()}
        assert both == set(range(n)) or (name == "time_series" and both < set(range(n)))
        assert split.train.size
        assert split.test.size
        assert (np.diff(split.test) > 0).all()
        assert (np.diff(split.train) >= (0 if name == "bootstrap" else 1)).all()


@EVERY
@given(n=st.integers(6, 60), seed=st.integers(0, 2**63 - 1))
def test_property_test_sets_of_a_repeat_partition_the_rows(name: str, n: int, seed: int) -> None:
    scheme = scheme_of(name)
    splits = list(scheme.splits(rows_with(n), seed))

    for repeat in {split.repeat for split in splits}:
        tested = np.concatenate([s.test for s in splits if s.repeat == repeat])
        if scheme.block_kind is BlockKind.SUBSAMPLES:
            assert splits[0].repeat == splits[-1].repeat == 0
            assert len(splits) > 1
        elif scheme.block_kind is BlockKind.HOLDOUT:
            assert 0 < len(np.unique(tested)) == len(tested) < n
        else:
            assert sorted(tested) == list(range(n))


@EVERY
@given(n=st.integers(6, 40), seed=st.integers(0, 2**63 - 1))
def test_property_count_is_known_before_the_splits(name: str, n: int, seed: int) -> None:
    scheme = scheme_of(name)
    rows = rows_with(n)

    assert scheme.n_splits(rows) == len(list(scheme.splits(rows, seed)))


@EVERY
@given(
    n=st.integers(6, 30),
    seed=st.integers(0, 2**63 - 1),
    cut=st.lists(st.integers(0, 100), max_size=4),
)
def test_property_pieces_are_the_whole(name: str, n: int, seed: int, cut: list[int]) -> None:
    scheme, rows = scheme_of(name), rows_with(n)
    total = scheme.n_splits(rows)
    ends = sorted({0, total, *(c % (total + 1) for c in cut)})

    pieces = [
        split
        for start, stop in pairwise(ends)
        for split in scheme.splits(rows, seed, start=start, stop=stop)
    ]

    assert plain(pieces) == drawn(scheme, rows, seed)


@EVERY
def test_property_a_piece_may_go_past_the_end(name: str) -> None:
    scheme, rows = scheme_of(name), rows_with(12)

    assert list(scheme.splits(rows, 1, start=10_000)) == []
    assert plain(list(scheme.splits(rows, 1, stop=10_000))) == drawn(scheme, rows, 1)


@EVERY
def test_property_seed_decides(name: str) -> None:
    scheme, rows = scheme_of(name), rows_with(40)

    assert drawn(scheme, rows, 5) == drawn(scheme, rows, 5)
    if name in DRAWS:
        assert drawn(scheme, rows, 5) != drawn(scheme, rows, 6)


@EVERY
def test_property_splits_are_numbered_repeat_by_repeat(name: str) -> None:
    scheme, rows = scheme_of(name), rows_with(12)
    numbers = [(split.repeat, split.block) for split in scheme.splits(rows, 3)]

    n_blocks = max(block for _, block in numbers) + 1
    assert numbers == [divmod(i, n_blocks) for i in range(len(numbers))]


@EVERY
def test_property_labels_name_the_blocks(name: str) -> None:
    scheme, rows = scheme_of(name), rows_with(12)
    by_block: dict[int, set[object]] = {}
    for split in scheme.splits(rows, 3):
        by_block.setdefault(split.block, set()).add(split.label)
        assert type(split.label) in {str, int}

    assert all(len(labels) == 1 for labels in by_block.values())
    assert len(set().union(*by_block.values())) == len(by_block)


@EVERY
def test_invalid_without_what_it_requires(name: str) -> None:
    scheme = scheme_of(name)
    bare = Rows(n=12)
    if not scheme.requires:
        assert scheme.n_splits(bare) > 0
        return

    column = min(scheme.requires)  # the first that it looks for, where there are several
    with pytest.raises(InvalidParameter, match=f"{name!r} needs a {column} column") as caught:
        scheme.n_splits(bare)
    assert caught.value.loc == ("columns", column)
    with pytest.raises(InvalidParameter):
        scheme.splits(bare, 1)  # at once, not at the first pair


@EVERY
def test_degenerate_one_row(name: str) -> None:
    with pytest.raises(InsufficientData):
        scheme_of(name).splits(rows_with(1), 1)


@EVERY
def test_property_is_described(name: str) -> None:
    info = SCHEMES[name].info

    assert info.title
    assert info.summary.endswith(".")
    assert info.assumptions.endswith(".")
    assert info.errs.endswith(".")
    assert set(info.references) <= set(REFERENCES)
    assert info.references
    assert scheme_of(name).block_kind in info.blocks
