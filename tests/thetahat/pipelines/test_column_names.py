from __future__ import annotations

from typing import Any

import pytest

from thetahat.errors import InvalidParameter
from thetahat.pipelines.column_names import check_column_names
from thetahat.pipelines.spec import read_learner_spec

KNOWN = ("age", "city", *(f"x{i}" for i in range(30)))


def check(*prepare: Any) -> None:
    spec = read_learner_spec({"name": "ridge", "prepare": list(prepare)})
    check_column_names(spec, KNOWN, loc=("learners", "a"))


GROUPED = {
    "groups": [
        {"columns": ["age"], "prepare": [{"name": "impute", "columns": ["age"]}]},
        {"prepare": [{"name": "one_hot", "columns": ["city"]}]},
    ]
}


@pytest.mark.parametrize(
    "prepare",
    [
        [],
        ["standardise"],
        [{"name": "one_hot", "columns": ["city"]}],
        ["standardise", {"name": "one_hot", "columns": ["made by the first"]}],
        [GROUPED],
    ],
    ids=["none", "every", "named", "later", "groups"],
)
def test_exact_columns_that_are_there_are_taken(prepare: list[Any]) -> None:
    check(*prepare)


@pytest.mark.parametrize(
    ("first", "place", "words"),
    [
        ({"name": "one_hot", "columns": ["age", "City"]}, ("columns", 1), "did you mean 'city'"),
        ({"name": "one_hot", "columns": ["zzz"]}, ("columns", 0), "x17 and 12 more"),
        ({"groups": [{"columns": ["age", "b"]}]}, ("groups", 0, "columns", 1), "'b'"),
        (
            {"groups": [{"columns": ["age"], "prepare": [{"name": "impute", "columns": ["x1"]}]}]},
            ("groups", 0, "prepare", 0, "columns", 0),
            "this step are age",
        ),
    ],
)
def test_invalid_columns_are_refused_in_place(
    first: Any, place: tuple[str | int, ...], words: str
) -> None:
    with pytest.raises(InvalidParameter) as caught:
        check(first)

    assert words in caught.value.message
    assert caught.value.loc == ("learners", "a", "prepare", 0, *place)
