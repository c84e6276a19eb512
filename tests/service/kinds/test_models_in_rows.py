"""A request about the scores of a table whose rows are of several models has a caution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.service.kinds.run_requests import run_kind
from tests.service.kinds.uploads import uploaded

ROWS = [f"q{i},{model},{(7 * i + k) % 10 / 10}" for i in range(12) for k, model in enumerate("ab")]


@pytest.mark.parametrize(
    ("heading", "columns", "is_named"),
    [
        ("item,model,score", {}, True),
        ("item,Method,score", {}, True),
        ("item,model,score", {"block": "model"}, False),
        ("item,model,score", {"cluster": "item"}, True),
        ("item,city,score", {}, False),
        ("model,item,score", {}, False),
    ],
)
def test_exact_models_in_rows_are_named(
    tmp_path: Path, heading: str, columns: dict[str, Any], *, is_named: bool
) -> None:
    rows = ROWS
    if heading.startswith("model"):  # a model for each row
        rows = [f"m{i},q,0.{i}" for i in range(1, 9)]
    file = uploaded(tmp_path, "text/csv", "\n".join([heading, *rows]).encode())
    body = {
        "kind": "losses",
        "dataset": str(file.id),
        "columns": {"losses": ["score"], **columns},
        "blocks": "source" if "block" in columns else "holdout",
        "better": "higher",
    }

    result = run_kind(body, [file], seed=3).result

    found = [c["message"] for c in result["cautions"] if c["code"] == "models_in_rows"]
    assert len(found) == is_named
    if is_named:
        assert "names 2 models, such as 'a' and 'b'" in found[0]
        assert "the scores of all of them are in one mean" in found[0]
