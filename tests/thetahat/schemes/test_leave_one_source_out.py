from __future__ import annotations

import numpy as np
import pytest

from tests.thetahat.schemes.some_rows import drawn, labelled, plain
from thetahat.errors import InsufficientData
from thetahat.schemes.base import Rows
from thetahat.schemes.leave_one_out import LeaveOneOut
from thetahat.schemes.leave_one_source_out import LeaveOneSourceOut


# By hand over four rows of three sources.
def test_by_hand_sources_in_order_of_appearance() -> None:
    rows = labelled(source=["dvd", "book", "dvd", "toy"])

    assert plain(list(LeaveOneSourceOut().splits(rows, 0))) == [
        (0, 0, "dvd", [1, 3], [0, 2]),
        (0, 1, "book", [0, 2, 3], [1]),
        (0, 2, "toy", [0, 1, 2], [3]),
    ]


@pytest.mark.outside("scikit-learn LeaveOneGroupOut, run here")
def test_against_sklearn_leave_one_group_out() -> None:
    from sklearn.model_selection import LeaveOneGroupOut

    source = np.random.default_rng(20_261_108).integers(0, 6, 80)

    ours = {
        s.label: s.test.tolist() for s in LeaveOneSourceOut().splits(Rows(80, source=source), 0)
    }

    theirs = LeaveOneGroupOut().split(np.empty(80), groups=source)
    assert ours == {int(source[test[0]]): test.tolist() for _, test in theirs}


def test_property_seed_does_not_matter() -> None:
    rows = labelled(source=["b", "a", "b"])

    first, second = (plain(list(LeaveOneSourceOut().splits(rows, seed))) for seed in (1, 2))
    assert first == second


def test_invalid_one_source() -> None:
    with pytest.raises(InsufficientData, match="All rows come from one source, 'dvd'") as caught:
        LeaveOneSourceOut().n_splits(labelled(source=["dvd", "dvd"]))

    assert caught.value.loc == ("columns", "source")


def test_limit_sources_of_one_row_are_leave_one_out() -> None:
    splits = list(LeaveOneSourceOut().splits(Rows(n=6, source=np.arange(6)), 0))

    assert plain(splits) == drawn(LeaveOneOut(), Rows(n=6), 0)
