from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.thetahat.schemes.some_rows import rows_with
from thetahat.analyses.selection.nested_splits import (
    derive_internal_seed,
    derive_seed_on_all_rows,
    get_own_internal_scheme,
    split_training_part,
)
from thetahat.errors import InsufficientData, UnsupportedCombination
from thetahat.schemes import SCHEMES
from thetahat.schemes.k_fold import KFold

ROWS = rows_with(40)
INTERNAL = sorted(set(SCHEMES) - {"nested", "three_way", "bootstrap", "complete_subsampling"})


@pytest.mark.parametrize("name", INTERNAL)
def test_property_no_test_row_of_the_split_is_seen_inside(name: str) -> None:
    scheme = SCHEMES[name](**({"n_folds": 2} if "k_fold" in name else {}))
    for split in KFold(n_folds=4).splits(ROWS, 3):
        inner = list(split_training_part(scheme, ROWS, split, 3))
        assert inner
        for inner_split in inner:
            assert not np.isin(split.test, [*inner_split.train, *inner_split.test]).any()
            assert not np.isin(inner_split.test, inner_split.train).any()


def test_exact_a_partition_of_the_part_tests_every_row_of_it_once() -> None:
    (split, *_) = KFold(n_folds=4).splits(ROWS, 3)
    inner = split_training_part(KFold(n_folds=5), ROWS, split, 3)

    assert_array_equal(
        np.sort(np.concatenate([inner_split.test for inner_split in inner])), split.train
    )


def test_property_every_part_has_draws_of_its_own() -> None:
    splits = list(KFold(n_folds=4).splits(ROWS, 3))
    seeds = {derive_internal_seed(3, split) for split in splits} | {derive_seed_on_all_rows(3), 3}

    assert len(seeds) == 6
    assert seeds & {derive_internal_seed(4, split) for split in splits} == set()


def test_invalid_a_part_drawn_with_replacement() -> None:
    (split,) = SCHEMES["bootstrap"]().splits(ROWS, 3, stop=1)
    with pytest.raises(UnsupportedCombination, match="has some rows twice"):
        list(split_training_part(KFold(n_folds=4), ROWS, split, 3))


def test_invalid_what_the_internal_scheme_refuses_is_placed() -> None:
    (split, *_) = KFold(n_folds=4).splits(ROWS, 3)
    with pytest.raises(InsufficientData) as refused:
        list(split_training_part(KFold(n_folds=31), ROWS, split, 3))
    assert refused.value.message.startswith("Inside the training part of repeat 0, block 0: 31 f")


def test_exact_only_two_schemes_bring_their_own() -> None:
    bringing = [
        name for name in SCHEMES if get_own_internal_scheme(SCHEMES[name](), ROWS) is not None
    ]

    assert bringing == ["nested", "three_way"]
