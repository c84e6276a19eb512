from __future__ import annotations

import numpy as np
import pytest

from tests.thetahat.schemes.some_rows import drawn, labelled, plain
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.leave_one_source_out import LeaveOneSourceOut
from thetahat.schemes.predefined import Predefined
from thetahat.values.types import BlockKind


# By hand over three rows.
def test_by_hand_folds_of_the_column() -> None:
    rows = labelled(fold=["b", "a", "b"])

    assert plain(list(Predefined().splits(rows, 0))) == [
        (0, 0, "b", [1], [0, 2]),
        (0, 1, "a", [0, 2], [1]),
    ]


@pytest.mark.outside("scikit-learn PredefinedSplit, run here")
def test_against_sklearn_predefined_split() -> None:
    from sklearn.model_selection import PredefinedSplit

    fold = np.random.default_rng(20_261_109).integers(0, 4, 50)

    ours = {s.label: s.test.tolist() for s in Predefined().splits(Rows(n=50, fold=fold), 0)}

    theirs = PredefinedSplit(fold).split()
    assert ours == {int(fold[test[0]]): test.tolist() for _, test in theirs}


def test_exact_blocks_say_what_a_fold_is() -> None:
    assert Predefined().block_kind is BlockKind.RANDOM
    assert Predefined(blocks="source").block_kind is BlockKind.SOURCE


def test_invalid_blocks() -> None:
    with pytest.raises(InvalidParameter, match="'random' or 'source', and is 'holdout'"):
        Predefined(blocks="holdout")  # type: ignore[arg-type]


def test_invalid_one_fold() -> None:
    with pytest.raises(InsufficientData, match="names one fold, 7, and two are needed"):
        Predefined().n_splits(Rows(n=2, fold=np.array([7, 7])))


def test_limit_a_column_of_sources_is_leave_one_source_out() -> None:
    column = np.random.default_rng(20_261_127).integers(0, 5, 30)

    ours = drawn(Predefined(blocks="source"), Rows(n=30, fold=column), 0)

    assert ours == drawn(LeaveOneSourceOut(), Rows(n=30, source=column), 0)


@pytest.mark.parametrize("fold", [[-1, 0, 1, 0], ["-1", "0", "1", "0"]])
def test_invalid_a_fold_that_scikit_learn_never_tests(fold: list[object]) -> None:
    with pytest.raises(InvalidParameter, match="fold -1, which scikit-learn's PredefinedSplit"):
        Predefined().n_splits(labelled(fold=fold))
