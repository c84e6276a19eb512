"""The square table of decisions on pairs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.golden.write_shown import read_case
from tests.presentation.reading import texts_of
from tests.presentation.test_findings import evaluate
from thetahat_presentation.showing import show


@pytest.mark.parametrize("name", ["exam", "exam_reversed"])
def test_exact_a_row_is_decided_beside_a_column(name: str) -> None:
    matrix = show(read_case(name)[1]).findings.matrix

    assert matrix is not None
    assert matrix.columns == ["Model", "ridge", "forest", "neighbours"]
    assert texts_of(matrix) == [
        ["ridge", "", "better", "better"],
        ["forest", "worse", "", "undecided"],
        ["neighbours", "worse", "undecided", ""],
    ]


def test_exact_that_one_is_not_worse_says_nothing_of_the_other() -> None:
    result: Any = {**read_case("exam")[1]}
    result["comparisons"] = [
        {**pair, "verdict": {**pair["verdict"], "decision": "not_worse"}}
        for pair in result["comparisons"]
    ]
    matrix = show(result).findings.matrix

    assert matrix is not None
    cells = [cell for row in texts_of(matrix) for cell in row[1:]]
    assert sorted(cells) == [""] * 6 + ["not worse"] * 3


def test_degenerate_two_models_and_pairs_that_are_not_compared_have_none() -> None:
    many = evaluate(12, "random")

    assert len(many["comparisons"]) < 12 * 11 / 2
    for result in (evaluate(2, "random"), many):
        assert show(result).findings.matrix is None
