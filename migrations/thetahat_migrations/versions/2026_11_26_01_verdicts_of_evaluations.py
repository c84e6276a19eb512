"""Keep the verdict and the gate's outcome of a finished evaluation with its row, for lists.

They are filled here for the evaluations that have a result: from the summary in the row, and from
the result itself where the request has a gate or the summary leaves comparisons out.
Safe while the previous release runs: yes; the columns may be empty, and it neither reads nor writes
them. What it finishes after this migration has no verdict in lists.
Reversible: yes; both are also in the results.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "2026_11_26_01"
down_revision = "2026_11_23_01"
branch_labels = None
depends_on = None

COLUMNS = ("verdict", "gate")
BATCH = 500
MIRRORED = {"better": "worse", "worse": "better", "not_worse": "undecided"}
EVALUATION = sa.table(
    "evaluation",
    sa.column("id", sa.Uuid()),
    sa.column("status", sa.String()),
    sa.column("request", sa.Text()),
    sa.column("summary", sa.JSON()),
    sa.column("verdict", sa.String()),
    sa.column("gate", sa.String()),
)
RESULT = sa.table(
    "evaluation_result", sa.column("evaluation_id", sa.Uuid()), sa.column("body", sa.Text())
)


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("evaluation", sa.Column(name, sa.String(16), nullable=True))
    fill(op.get_bind())
    for name in COLUMNS:
        op.create_index(
            f"ix_evaluation_owner_id_{name}_created_at_id",
            "evaluation",
            ["owner_id", name, "created_at", "id"],
        )


def fill(connection: sa.Connection) -> None:
    """Write the verdicts and outcomes of the evaluations that have a result."""
    rows = EVALUATION.c
    page = (
        sa.select(rows.id, rows.summary, rows.request.contains('"gate":{').label("has_gate"))
        .where(rows.status == "succeeded", rows.summary.is_not(None))
        .order_by(rows.id)
        .limit(BATCH)
    )
    last = None
    while True:
        found = connection.execute(page if last is None else page.where(rows.id > last)).all()
        if not found:
            return
        last = found[-1].id
        values = [
            {"wanted": row.id, **describe(connection, row.id, row.summary, has_gate=row.has_gate)}
            for row in found
            if row.summary
        ]
        if values:
            connection.execute(
                sa.update(EVALUATION)
                .where(rows.id == sa.bindparam("wanted"))
                .values(verdict=sa.bindparam("verdict"), gate=sa.bindparam("gate")),
                values,
            )


def describe(
    connection: sa.Connection, identifier: Any, summary: dict[str, Any], *, has_gate: bool
) -> dict[str, str | None]:
    """Return the verdict and the gate's outcome of an evaluation."""
    pairs = [(pair["a"], pair["b"], pair["decision"]) for pair in summary["comparisons"]]
    is_short = sum(summary.get("decisions", {}).values()) > len(pairs)
    result: dict[str, Any] = {}
    if has_gate or is_short:
        statement = sa.select(RESULT.c.body).where(RESULT.c.evaluation_id == identifier)
        result = json.loads(connection.execute(statement).scalar() or "{}")
    if is_short and "comparisons" in result:
        pairs = [
            (pair["a"], pair["b"], pair["verdict"]["decision"]) for pair in result["comparisons"]
        ]
    best = summary["best_model"]
    decisions = {
        decision if a == best else MIRRORED.get(decision, decision)
        for a, b, decision in pairs
        if best in {a, b}
    }
    verdict = None if not decisions else decisions.pop() if len(decisions) == 1 else "mixed"
    return {"verdict": verdict, "gate": (result.get("gate") or {}).get("outcome")}


def downgrade() -> None:
    for name in COLUMNS:
        op.drop_index(f"ix_evaluation_owner_id_{name}_created_at_id", "evaluation")
    for name in COLUMNS:
        op.drop_column("evaluation", name)
