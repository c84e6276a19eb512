"""The migration that gives the evaluations of earlier releases their verdict and gate."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from thetahat_service.jobs.listed import list_result
from thetahat_service.storage import schema
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import EVALUATION, EVALUATION_RESULT
from thetahat_service.storage.unit_of_work import reading, unit_of_work

BEFORE = "2026_11_23_01"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def _build_result(decisions: dict[tuple[str, str], str], gate: str | None) -> dict[str, Any]:
    """Return a result with these decisions on pairs, best model ``x``; a summary has two."""
    pairs = [{"a": a, "b": b, "verdict": {"decision": d}} for (a, b), d in decisions.items()]
    shown = [{"a": a, "b": b, "decision": d} for (a, b), d in list(decisions.items())[:2]]
    counts: dict[str, int] = {}
    for decision in decisions.values():
        counts[decision] = counts.get(decision, 0) + 1
    summary = {"best_model": "x", "models": [], "comparisons": shown, "decisions": counts}
    result: dict[str, Any] = {"summary": summary, "comparisons": pairs}
    return result if gate is None else {**result, "gate": {"outcome": gate}}


RESULTS = [
    (_build_result({("x", "y"): "better"}, None), "better"),
    (_build_result({("y", "x"): "worse"}, "pass"), "better"),
    (_build_result({("y", "x"): "not_worse"}, "fail"), "undecided"),
    (_build_result({("x", "y"): "better", ("x", "z"): "undecided"}, None), "mixed"),
    (_build_result({("x", "y"): "better", ("y", "z"): "undecided"}, None), "better"),
    (
        _build_result(
            {("x", "y"): "better", ("x", "z"): "better", ("x", "w"): "equivalent"}, "undecided"
        ),
        "mixed",
    ),
    (_build_result({}, None), None),
]


def test_exact_old_rows_get_what_new_results_get(empty_database: str) -> None:
    schema.upgrade(BEFORE)
    ids = [uuid4() for _ in range(len(RESULTS) + 2)]
    names = [c.name for c in EVALUATION.c if c.name not in {"verdict", "gate", "headline"}]
    old = sa.table("evaluation", *(sa.column(n, EVALUATION.c[n].type) for n in names))
    rows = [
        {
            "id": identifier, "owner_id": LOCAL_OWNER_ID, "kind": "losses", "name": None,
            "status": "succeeded", "version": 1, "request_sha256": "", "data_sha256": "",
            "request": '{"gate":{"model":"x"}}' if "gate" in result else "{}",
            "seed": 1, "progress_done": 1, "progress_total": 1, "progress_unit": "losses",
            "summary": result.get("summary"), "created_at": NOW,
        }
        for identifier, result in zip(
            ids, [*(result for result, _ in RESULTS), {}, {}], strict=True
        )
    ]  # fmt: skip
    rows[-1]["status"] = "queued"
    bodies = [
        {"evaluation_id": identifier, "body": json.dumps(result), "created_at": NOW}
        for identifier, (result, _) in zip(ids, RESULTS, strict=False)
    ]
    with unit_of_work() as connection:
        connection.execute(sa.insert(old), rows)
        connection.execute(sa.insert(EVALUATION_RESULT), bodies)
    schema.upgrade()

    with reading() as connection:
        found = {row.id: row for row in connection.execute(sa.select(EVALUATION))}
    for identifier, (result, verdict) in zip(ids, RESULTS, strict=False):
        listed = list_result(result)
        assert (found[identifier].verdict, found[identifier].gate) == (verdict, listed.gate)
        assert listed.verdict == verdict
    for identifier in ids[len(RESULTS) :]:
        assert (found[identifier].verdict, found[identifier].gate) == (None, None)
