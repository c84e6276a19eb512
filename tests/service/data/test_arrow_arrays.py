"""Arrow's arrays without ``pyarrow.array``: the same values and types."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from tests.cases import each
from thetahat_service.data.arrow_arrays import make_arrow_array
from thetahat_service.data.arrow_columns import to_numpy

WITHOUT_PANDAS = """
import sys
import numpy as np
from thetahat_service.data.arrow_arrays import make_arrow_array
from thetahat_service.data.arrow_columns import to_numpy
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


@pytest.mark.parametrize(
    "array",
    [
        pa.array([0.5, None, -0.0, float("nan")]),
        pa.array([1, 2, 2**62]),
        pa.array([1, None, 3], pa.uint8()),
        pa.array([2**63, 5], pa.uint64()),
        pa.array([True, False, True]),
        pa.array([True, None]),
        pa.array([None, None]),
        pa.array([], pa.float64()),
        pa.array([], pa.bool_()),
        pa.array([1.5, None], pa.float32()),
        pa.array([1, 2, 1, None]).dictionary_encode(),
        pa.array(["b", None, "a", "b"]),
        pa.array(["b", "a", "b"]).dictionary_encode(),
    ],
    ids=lambda array: f"{array.type}-{len(array)}-{array.null_count}",
)
@each("n_before", [0, 1, 9])
@each("n_chunks", [0, 1, 3])
def test_against_pyarrow_columns_have_the_same_values(
    array: pa.Array, n_before: int, n_chunks: int
) -> None:
    longer = pa.concat_arrays([array] * 10) if len(array) else array
    part = longer.slice(n_before)
    column = pa.chunked_array([part] * n_chunks, part.type)

    values = to_numpy(column)

    expected = [
        math.nan if value is None and values.dtype.kind == "f" else value
        for value in column.to_pylist()
    ]
    assert str(values.tolist()) == str(np.array(expected, values.dtype).tolist())
    assert len(values) == len(column)
    has_missing = column.null_count > 0 or pa.types.is_null(column.type)
    if values.dtype.kind != "O" and not has_missing and n_chunks:
        plain = part.dictionary_decode() if pa.types.is_dictionary(part.type) else part
        assert np.array_equal(values[: len(part)], plain.to_numpy(zero_copy_only=False))


def test_exact_a_complete_column_of_numbers_is_not_copied() -> None:
    array = pa.array([0.5, 1.5, 2.5])

    values = to_numpy(pa.chunked_array([array]))

    assert values.ctypes.data == array.buffers()[1].address
    assert not values.flags.writeable
