"""Rows that sum up others, in losses that are sent to the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thetahat
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


def test_exact_the_library_has_the_cautions_of_the_service() -> None:
    a, b = ([*values, round(float(np.mean(values)), 3)] for values in (A, B))
    codes = {c.code for c in thetahat.evaluate({"a": a, "b": b}, blocks="holdout").cautions}
    assert "total_row" in codes
    codes = {c.code for c in thetahat.evaluate({"b": [-999.0, *B]}, blocks="holdout").cautions}
    assert "missing_code" in codes
    predicted = thetahat.evaluate_predictions(a, {"m": a[::-1]}, blocks="holdout", loss="squared")
    assert "total_row" not in {c.code for c in predicted.cautions}
    predicted = thetahat.evaluate_predictions(
        a, {"m": [*(v + 0.1 for v in B), np.mean(B) + 0.1]}, blocks="holdout", loss="squared"
    )
    assert "total_row" in {c.code for c in predicted.cautions}


def predictions_of(folder: Path, lines: list[str], **columns: Any) -> dict[str, str]:
    file = uploaded(
        folder, f"t{sum(1 for _ in folder.iterdir())}", "text/csv", "\n".join(lines).encode()
    )
    body = {
        "kind": "predictions",
        "loss": "squared",
        "blocks": "holdout",
        "missing": "leave_out",
        "dataset": str(file.id),
        "columns": {"target": "y", "predictions": {"m": "m"}, **columns},
    }
    return {c["code"]: c["message"] for c in run_kind(body, [file]).result["cautions"]}


def test_exact_predictions_of_a_file_have_the_same_cautions(tmp_path: Path) -> None:
    rows = [f"q{i},{a},{b}" for i, (a, b) in enumerate(zip(A, B, strict=True))]
    plain = predictions_of(tmp_path, ["id,y,m", *rows])
    named = predictions_of(tmp_path, ["id,y,m", *rows, "Total,1,1"])
    means = f"{np.mean(A[1:]):.3f},{np.mean(B[1:]):.3f}"
    computed = predictions_of(tmp_path, ["id,y,m", f"q0,,{B[0]}", *rows[1:], f"x,{means}"])
    models = [f"{row},{'ab'[i % 2]}" for i, row in enumerate(rows)]
    in_rows = predictions_of(tmp_path, ["id,y,m,model", *models])

    assert plain.keys().isdisjoint({"total_row", "models_in_rows", "other_items"})
    assert named["total_row"].startswith("Row 30 seems to sum up other rows: it has 'Total'")
    assert computed["total_row"].startswith("Row 30 seems to sum up other rows: in every column")
    assert "Column 'model' names 2 models, such as 'a' and 'b'" in in_rows["models_in_rows"]


@pytest.mark.parametrize("kind", ["losses", "predictions"])
def test_exact_items_in_two_orders_are_a_serious_caution(tmp_path: Path, kind: str) -> None:
    def run(others: list[str]) -> dict[str, str]:
        rows = zip(items, A, others, B, strict=True)
        lines = ["item_a,a,item_b,b", *(",".join(map(str, row)) for row in rows)]
        if kind == "predictions":
            lines[0] = "item_a,y,item_b,m"
            return predictions_of(tmp_path, lines)
        file = uploaded(
            tmp_path,
            f"t{sum(1 for _ in tmp_path.iterdir())}",
            "text/csv",
            "\n".join(lines).encode(),
        )
        columns = {"losses": ["a", "b"]}
        body = {"kind": kind, "dataset": str(file.id), "columns": columns, "blocks": "holdout"}
        return {c["code"]: c["message"] for c in run_kind(body, [file]).result["cautions"]}

    items = [f"q{i}" for i in range(30)]

    assert "other_items" not in run(items)
    assert run(items[::-1])["other_items"].startswith(
        "Row 0 has item 'q0' in column 'item_a' and item 'q29' in column 'item_b'"
    )


@pytest.mark.parametrize(("others", "n", "is_code"), [(20, 1, True), (20, 2, True), (20, 3, False)])
def test_minus_one_among_few_outcomes_is_a_code(others: int, n: int, is_code: bool) -> None:  # noqa: FBT001
    outcomes = [0.0, 1.0] * (others // 2)

    result = run_kind(
        {"kind": "losses", "losses": {"a": [*outcomes, *([-1.0] * n)]}, "blocks": "holdout"}
    ).result

    found = {c["code"]: c["message"] for c in result["cautions"]}
    assert ("missing_code" in found) == is_code
    if is_code:
        assert "is -1 in row 20" in found["missing_code"]
