"""Rows that sum up others, in losses that are sent to the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import run_kind
from tests.service.kinds.test_logs import request, uploaded

RNG = np.random.default_rng(20_261_129)
A, B = (np.round(RNG.random(30), 3).tolist() for _ in range(2))


def total_of(result: dict[str, Any]) -> str | None:
    found = {c["code"]: c["message"] for c in result["cautions"]}
    return found.get("total_row")


def test_exact_means_among_losses_are_a_serious_caution() -> None:
    losses = {"a": [*A[:9], np.mean(A), *A[9:]], "b": [*B[:9], np.mean(B), *B[9:]]}
    body = {"kind": "losses", "losses": losses, "blocks": "holdout"}

    found = total_of(run_kind(body).result)

    assert found is not None
    assert found.startswith("Row 9 seems to sum up other rows: in every column")
    assert total_of(run_kind({**body, "losses": {"a": A, "b": B}}).result) is None


@pytest.mark.parametrize("word", ["mean", "Total"])
def test_exact_instances_named_as_totals_are_a_serious_caution(tmp_path: Path, word: str) -> None:
    items = [f"q{i}" for i in range(29)]
    lines = [
        "item,a,b",
        *(f"{i},{a},{b}" for i, a, b in zip([*items[:5], word, *items[5:]], A, B, strict=True)),
    ]
    file = uploaded(tmp_path, "t", "text/csv", "\n".join(lines).encode())
    columns = {"losses": ["a", "b"], "instance": "item"}
    body = {"kind": "losses", "dataset": str(file.id), "columns": columns, "blocks": "holdout"}

    found = total_of(run_kind(body, [file]).result)

    assert found is not None
    assert f"Row 5 seems to sum up other rows: it has '{word}'" in found


def test_exact_items_of_a_long_table_named_as_totals_are_a_serious_caution(tmp_path: Path) -> None:
    items = [*(f"q{i}" for i in range(29)), "average"]
    lines = ["item,model,acc", *(f"{i},m,{a}" for i, a in zip(items, A, strict=True))]
    file = uploaded(tmp_path, "t", "text/csv", "\n".join(lines).encode())

    found = total_of(run_kind(request([file], "acc"), [file]).result)

    assert found is not None
    assert "it has 'average'" in found


@pytest.mark.parametrize("code", [-99, -999, 999, -9999, 99999])
def test_exact_a_code_of_missing_values_among_losses_is_a_serious_caution(code: int) -> None:
    losses = {"a": A, "b": [*B[:4], code, *B[5:]]}
    body = {"kind": "losses", "losses": losses, "blocks": "holdout"}

    found = {c["code"]: c["message"] for c in run_kind(body).result["cautions"]}
    assert found["missing_code"].startswith(f"'b' is {code} in row 4 (1 rows), and ")
    plain = run_kind({**body, "losses": {"a": A, "b": B}}).result
    assert "missing_code" not in {c["code"] for c in plain["cautions"]}


def test_exact_a_large_value_among_large_ones_is_no_code() -> None:
    losses = {"a": [100.0 * v for v in A], "b": [*(100.0 * v for v in B[1:]), 999.0]}
    result = run_kind({"kind": "losses", "losses": losses, "blocks": "holdout"}).result

    assert "missing_code" not in {c["code"] for c in result["cautions"]}


@pytest.mark.parametrize(
    ("heading", "first", "word"),
    [
        ("stat,a,b", ["count", "mean", "std", "min", "max"], "count"),
        ("school,a,b", ["s1", "s2", "s3", "s4", "Grand total"], "Grand total"),
        ("model,a,b", ["m1", "m2", "m3", "m4", "Total"], "Total"),
        ("stat,a,b", ["s1", "s2", "s3", "s4", "s5"], None),
    ],
)
def test_exact_totals_in_a_column_that_is_not_used_are_a_serious_caution(
    tmp_path: Path, heading: str, first: list[str], word: str | None
) -> None:
    lines = [heading, *(f"{t},{a},{b}" for t, a, b in zip(first, A, B, strict=False))]
    file = uploaded(tmp_path, "t", "text/csv", "\n".join(lines).encode())
    columns = {"losses": ["a", "b"]}
    body = {"kind": "losses", "dataset": str(file.id), "columns": columns, "blocks": "holdout"}

    found = total_of(run_kind(body, [file]).result)

    assert (found is None) is (word is None)
    assert word is None or f"it has '{word}' in column '{heading.partition(',')[0]}'" in str(found)
