"""Items with several runs, in every form that a request of losses has for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import parquet_file, run_kind
from thetahat.errors import InvalidParameter

RNG = np.random.default_rng(63)
ITEMS = [f"q{i}" for i in range(9) for _ in range(4)]
RUNS = [f"seed {k}" for _ in range(9) for k in range(4)]
LOSSES = {name: RNG.integers(0, 2, size=36).tolist() for name in ("new", "old")}
REQUEST: dict[str, Any] = {
    "kind": "losses",
    "blocks": "holdout",
    "losses": LOSSES,
    "item": ITEMS,
    "run": RUNS,
    "pass_at": [1, 3],
}


def test_exact_inline_and_stored_runs_say_the_same(tmp_path: Path) -> None:
    order = RNG.permutation(36).tolist()
    columns = {**LOSSES, "question": ITEMS, "seed": RUNS}
    file = parquet_file(tmp_path, {k: [v[i] for i in order] for k, v in columns.items()})
    stored = {
        "kind": "losses",
        "blocks": "holdout",
        "dataset": str(file.id),
        "columns": {"losses": ["new", "old"], "item": "question", "run": "seed"},
        "pass_at": [1, 3],
    }

    inline, found = run_kind(REQUEST).result, run_kind(stored, [file]).result
    for name in LOSSES:
        one, other = inline["models"][name]["runs"], found["models"][name]["runs"]
        assert one["design"] == other["design"] == "crossed"
        assert one["sentence"] == other["sentence"]
        assert one["pass_at"]["3"]["estimate"] == pytest.approx(other["pass_at"]["3"]["estimate"])
    assert inline["comparisons"][0]["runs"]["share_of_runs"] is not None


def test_exact_rows_left_out_are_runs_left_out() -> None:
    gap = {**LOSSES, "new": [None, *LOSSES["new"][1:]]}
    found = run_kind({**REQUEST, "losses": gap, "missing": "leave_out", "pass_at": [1, 3]}).result

    assert found["models"]["old"]["runs"]["runs_per_item"] == [3, 4]
    assert found["models"]["old"]["runs"]["design"] == "nested"
    assert found["left_out"]["n_rows"] == 1


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"item": None}, "The field run needs item"),
        ({"item": None, "run": None}, "needs item, or logs"),
        ({"item": ITEMS[:-1]}, "The field item has 35 entries"),
        ({"repeat": [0] * 36}, "repeat does not go with item"),
        ({"pass_at": [5]}, "item 'q0' of 'new' has 4"),
        ({"weights": [1.0] * 36}, "do not go with item"),
    ],
)
def test_invalid_runs_are_refused(change: dict[str, Any], match: str) -> None:
    request = {key: value for key, value in (REQUEST | change).items() if value is not None}
    with pytest.raises(InvalidParameter, match=match):
        run_kind(request)
