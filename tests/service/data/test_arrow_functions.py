"""The functions that stand in place of ``pyarrow.compute`` do the same."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from thetahat_service.data import arrow_functions

PACKAGE = Path(arrow_functions.__file__).parents[1]
TEXTS = pa.array(["0012", " a,b", None, "b.a"])
NUMBERS = pa.array([3.5, None, -1.0, 3.5])
TRUTHS = pa.array([True, None, False, True])


def _names_used() -> set[str]:
    names = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        if "import arrow_functions as pc" in text:
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    names |= {node.attr} if node.value.id == "pc" else set()
    return names


def test_exact_each_function_that_is_called_exists_with_these_options() -> None:
    names = _names_used() - {"cast", "index", "take"}
    assert len(names) > 20
    for name in names:
        known = getattr(pc, name).__arrow_compute_function__
        options = arrow_functions._OPTIONS.get(name)
        assert options is None or options.__name__ == known["options_class"], name


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ends_with", (TEXTS, "b")),
        ("find_substring", (TEXTS, "b")),
        ("is_in", (TEXTS, pa.array(["b.a", "x"]))),
        ("match_substring", (TEXTS, ".")),
        ("match_substring_regex", (TEXTS, "[,1]")),
        ("replace_substring", (TEXTS, ".", ",")),
        ("replace_substring_regex", (TEXTS, "[.,]", "-")),
        ("starts_with", (TEXTS, "b")),
        ("utf8_ltrim", (TEXTS, "0")),
        ("utf8_trim_whitespace", (TEXTS,)),
        ("and_", (TRUTHS, pa.array([True, True, True, None]))),
        ("invert", (TRUTHS,)),
        ("any", (TRUTHS,)),
        ("drop_null", (NUMBERS,)),
        ("filter", (NUMBERS, TRUTHS)),
        ("if_else", (TRUTHS, NUMBERS, pa.scalar(0.0))),
        ("is_valid", (NUMBERS,)),
        ("min_max", (NUMBERS,)),
        ("sum", (NUMBERS,)),
        ("unique", (NUMBERS,)),
    ],
)
def test_reference_values_are_those_of_pyarrow_compute(name: str, arguments: Any) -> None:
    assert getattr(arrow_functions, name)(*arguments).equals(getattr(pc, name)(*arguments))


def test_reference_cast_and_index_are_those_of_pyarrow_compute() -> None:
    values = pa.array(["3", None, "7"])
    assert arrow_functions.cast(values, pa.int64()).equals(pc.cast(values, pa.int64()))
    with pytest.raises(pa.ArrowInvalid, match="Failed to parse"):
        arrow_functions.cast(TEXTS, pa.int64())
    with pytest.raises(pa.ArrowInvalid, match="truncated"):
        arrow_functions.cast(NUMBERS, pa.int64())
    unsafe = arrow_functions.cast(NUMBERS, pa.int64(), safe=False)
    assert unsafe.equals(pc.cast(NUMBERS, pa.int64(), safe=False))
    assert arrow_functions.index(NUMBERS, -1.0).as_py() == 2
    assert arrow_functions.index(NUMBERS, 8.0).as_py() == -1
