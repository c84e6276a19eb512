"""Count the evaluations of each test set, and keep the Ladders on data sets.

What was evaluated before is counted for the data sets that a finished evaluation still names, in
the order of its end, without the names of its models.
Safe while the previous release runs: yes; it does not know the tables. What it finishes after this
migration is not counted.
Reversible: yes; the counts and the Ladders are lost.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "2026_11_27_02"
down_revision = "2026_11_27_01"
branch_labels = None
depends_on = None

BATCH = 500
KINDS = ("losses", "predictions", "cross_validation", "selection", "learning_curve")
"""Kinds whose results have models."""
EVALUATION = sa.table(
    "evaluation",
    sa.column("id", sa.Uuid()),
    sa.column("owner_id", sa.Uuid()),
    sa.column("kind", sa.String()),
    sa.column("status", sa.String()),
    sa.column("request_sha256", sa.String()),
    sa.column("finished_at", sa.DateTime(timezone=True)),
)
NAMED = sa.table(
    "evaluation_dataset", sa.column("evaluation_id", sa.Uuid()), sa.column("dataset_id", sa.Uuid())
)
DATASET = sa.table("dataset", sa.column("id", sa.Uuid()), sa.column("sha256", sa.String()))


def upgrade() -> None:
    uses = op.create_table(
        "test_set_use",
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("request_sha256", sa.String(64), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "sha256", "request_sha256", name="pk_test_set_use"),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_test_set_use_owner_id_owner"),
        sa.UniqueConstraint(
            "owner_id", "sha256", "number", name="uq_test_set_use_owner_id_sha256_number"
        ),
    )
    op.create_table(
        "test_set_model",
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("name_sha256", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "sha256", "name_sha256", name="pk_test_set_model"),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["owner.id"], name="fk_test_set_model_owner_id_owner"
        ),
    )
    op.create_table(
        "ladder",
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("loss", sa.Text(), nullable=False),
        sa.Column("step", sa.Double(), nullable=True),
        sa.Column("submissions", sa.BigInteger(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("losses", sa.LargeBinary(), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "sha256", "target", name="pk_ladder"),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_ladder_owner_id_owner"),
    )
    fill(op.get_bind(), uses)


def fill(connection: sa.Connection, uses: sa.Table) -> None:
    """Count what is finished, each request once for a data set."""
    rows = EVALUATION.c
    found = connection.execute(
        sa.select(rows.owner_id, DATASET.c.sha256, rows.request_sha256, rows.kind, rows.finished_at)
        .select_from(EVALUATION)
        .join(NAMED, NAMED.c.evaluation_id == rows.id)
        .join(DATASET, DATASET.c.id == NAMED.c.dataset_id)
        .where(rows.status == "succeeded", rows.kind.in_(KINDS), rows.finished_at.is_not(None))
        .order_by(rows.finished_at, rows.id)
    ).all()
    counts: Counter[tuple[Any, str]] = Counter()
    values: dict[tuple[Any, str, str], dict[str, Any]] = {}
    for row in found:
        key = (row.owner_id, row.sha256, row.request_sha256)
        if key in values:
            continue
        counts[row.owner_id, row.sha256] += 1
        values[key] = {
            "owner_id": row.owner_id,
            "sha256": row.sha256,
            "request_sha256": row.request_sha256,
            "number": counts[row.owner_id, row.sha256],
            "kind": row.kind,
            "at": row.finished_at,
        }
    inserted = list(values.values())
    for first in range(0, len(inserted), BATCH):
        connection.execute(sa.insert(uses), inserted[first : first + BATCH])


def downgrade() -> None:
    for name in ("ladder", "test_set_model", "test_set_use"):
        op.drop_table(name)
