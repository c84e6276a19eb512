from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from thetahat.values.json_values import to_json
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
def test_exact_values_that_json_holds(value: Any, expected: Any) -> None:
    encoded = to_json(value)

    assert encoded == expected
    assert type(encoded) is type(expected)
    json.dumps(encoded, allow_nan=False)
