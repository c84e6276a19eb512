from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from thetahat.cautions import Caution
from thetahat.values.json_values import plain, told
from thetahat.values.types import BlockKind


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (0.5, 0.5),
        (float("nan"), None),
        (float("-inf"), None),
        (BlockKind.SOURCE, "source"),
        ("a", "a"),
        (np.str_("a"), "a"),
        (np.float64("inf"), None),
        (np.int64(4), 4),
        (np.bool_(True), True),
        (np.array([[1.0, np.nan]]), [[1.0, None]]),
        ((1, 2.0), [1, 2.0]),
        ({1: np.float32(0.5), "b": (None,)}, {"1": 0.5, "b": [None]}),
    ],
)
def test_exact_plain_values(value: Any, expected: Any) -> None:
    found = plain(value)

    assert found == expected
    assert type(found) is type(expected)
    json.dumps(found, allow_nan=False)


def test_exact_each_caution_once() -> None:
    a, b = Caution("x", "one"), Caution("y", "two")

    assert [one["code"] for one in told([a, b, a])] == ["x", "y"]
