"""Rows without a value and sources with a single row, left out by ``cross_validate``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thetahat import cross_validate
from thetahat.errors import InvalidParameter
from thetahat.values.json_values import to_json

N = 30
RNG = np.random.default_rng(15)
X = RNG.normal(size=(N, 2))
Y = X[:, 0] + RNG.normal(size=N)
SITE: list[Any] = [f"s{i % 3}" for i in range(N)]


def run(x: np.ndarray, y: Any, source: list[Any], **options: Any) -> Any:
    learners = {"line": "least_squares", "mean": "mean"}
    options = {"task": "regression", "scheme": "leave_one_source_out", **options}
    return cross_validate(x, y, learners, source=source, **options)


def test_exact_rows_left_out_give_the_numbers_of_the_other_rows() -> None:
    y, site = Y.copy(), [*SITE[:-1], "alone"]
    y[4], site[7] = np.nan, None
    kept = [i for i in range(N - 1) if i not in {4, 7}]
    result = run(X, y, site, missing="leave_out", small_sources="leave_out")
    expected = run(X[kept], Y[kept], [SITE[i] for i in kept])

    assert to_json(result.models) == to_json(expected.models)
    assert result.left_out.n_rows == 3
    assert result.left_out.n_remaining == N - 3
    assert {name: part.rows for name, part in result.left_out.missing.items()} == {
        "target": (4,),
        "source": (7,),
    }
    assert result.left_out.small_sources.sources == ("alone",)
    codes = {caution.code for caution in result.cautions}
    assert {"rows_left_out", "small_sources_left_out"} <= codes
    assert expected.left_out is None


def test_invalid_missing_values_are_refused_and_the_option_is_named() -> None:
    y = Y.copy()
    y[4] = np.nan

    with pytest.raises(InvalidParameter, match=r"no value in row 4.*set missing to 'leave_out'"):
        run(X, y, SITE)
