"""Arrow's arrays without ``pyarrow.array``: the same values and types."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from thetahat_service.data.arrow_arrays import make_arrow_array

WITHOUT_PANDAS = """
import sys
import numpy as np
from thetahat_service.data.arrow_arrays import make_arrow_array
for values in (np.arange(3), np.ones(2), ["a", "b"], [1, 2]):
    make_arrow_array(values)
assert "pandas" not in sys.modules
"""


@pytest.mark.parametrize(
    "values",
    [
        np.arange(5),
        np.arange(5, dtype=">i4"),
        np.arange(10.0)[::3],
        np.array([1, 255], dtype=np.uint8),
        np.array([0.5, -0.0], dtype=np.float32),
        np.array([True, False]),
        np.array([], dtype=np.float64),
        ["a", "", "ä日"],
        [3, -(2**63) + 1],
        [],
        ["a", 1][:1],
    ],
)
def test_against_pyarrow_the_values_are_the_same(values: np.ndarray | Sequence[str | int]) -> None:
    native = values.astype(values.dtype.newbyteorder("=")) if isinstance(values, np.ndarray) else 0
    expected = pa.array(native if isinstance(values, np.ndarray) else values)
    array = make_arrow_array(values)
    array.validate(full=True)
    assert array.type == expected.type
    assert array.equals(expected)


def test_exact_pandas_is_not_loaded_for_it() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_PANDAS], check=True)
