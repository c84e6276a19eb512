"""Add series: losses that arrive in batches, and what each look has shown.

A delivery of a webhook about a series has the id of the series in ``evaluation_id``, which has had
no foreign key before.
Safe while the previous release runs: yes; it does not know the tables. It sends a delivery about a
series like any other, and lists it with the id of the series as that of an evaluation.
Reversible: yes; the series are lost.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_26_03"
down_revision = "2026_11_26_02"
branch_labels = None
depends_on = None

OWNER_INDEX = "ix_series_owner_id_created_at_id"


def upgrade() -> None:
    op.create_table(
        "series",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(200), nullable=True),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("batches", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.JSON(), nullable=False),
        sa.Column("decision", sa.String(16), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("key", sa.String(255), nullable=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_batch_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status IN ('open','closed')", name="ck_series_status"),
        sa.PrimaryKeyConstraint("id", name="pk_series"),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_series_owner_id_owner"),
        sa.UniqueConstraint("owner_id", "key", name="uq_series_owner_id_key"),
    )
    op.create_index(OWNER_INDEX, "series", ["owner_id", "created_at", "id"])
    op.create_index("ix_series_closed_at", "series", ["closed_at"])
    op.create_table(
        "series_look",
        sa.Column("series_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("series_id", "number", name="pk_series_look"),
        sa.ForeignKeyConstraint(
            ["series_id"],
            ["series.id"],
            name="fk_series_look_series_id_series",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("series_id", "key", name="uq_series_look_series_id_key"),
    )


def downgrade() -> None:
    op.drop_table("series_look")
    op.drop_table("series")
