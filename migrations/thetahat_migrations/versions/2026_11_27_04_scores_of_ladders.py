"""Give each Ladder an id, and keep the scores that it has published.

Safe while the previous release runs: yes; release 0.1.0 does not know the table.
Reversible: yes; the earlier scores of Ladders are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from alembic import op

revision = "2026_11_27_04"
down_revision = "2026_11_27_03"
branch_labels = None
depends_on = None


def upgrade() -> None:
    def create() -> sa.Table:
        return op.create_table(
            "ladder",
            sa.Column("id", sa.Uuid(), nullable=False),
            *_list_columns(),
            sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
            sa.PrimaryKeyConstraint("id", name="pk_ladder"),
            sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_ladder_owner_id_owner"),
            sa.UniqueConstraint(
                "owner_id", "sha256", "target", name="uq_ladder_owner_id_sha256_target"
            ),
        )

    ladders = _replace(create, lambda row: {**row, "id": uuid4(), "created_at": row["last_at"]})
    scores = op.create_table(
        "ladder_score",
        sa.Column("ladder_id", sa.Uuid(), nullable=False),
        sa.Column("submission", sa.BigInteger(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("ladder_id", "submission", name="pk_ladder_score"),
        sa.ForeignKeyConstraint(
            ["ladder_id"],
            ["ladder.id"],
            name="fk_ladder_score_ladder_id_ladder",
            ondelete="CASCADE",
        ),
    )
    for row in ladders:
        values = {"ladder_id": row["id"], "submission": row["submissions"], "at": row["last_at"]}
        op.get_bind().execute(sa.insert(scores), {**values, "score": row["score"], "model": None})


def downgrade() -> None:
    def create() -> sa.Table:
        return op.create_table(
            "ladder",
            *_list_columns(),
            sa.PrimaryKeyConstraint("owner_id", "sha256", "target", name="pk_ladder"),
            sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_ladder_owner_id_owner"),
        )

    op.drop_table("ladder_score")
    _replace(create, lambda row: row)


def _replace(
    create: Callable[[], sa.Table], convert: Callable[[dict[str, Any]], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Make the table anew with its rows, and return them."""
    connection = op.get_bind()
    table = sa.table("ladder", *_list_columns())
    rows = [convert(dict(row)) for row in connection.execute(sa.select(table)).mappings()]
    op.drop_table("ladder")
    made = create()
    if rows:
        connection.execute(sa.insert(made), rows)
    return rows


def _list_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("loss", sa.Text(), nullable=False),
        sa.Column("step", sa.Double(), nullable=True),
        sa.Column("submissions", sa.BigInteger(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("losses", sa.LargeBinary(), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
    ]
