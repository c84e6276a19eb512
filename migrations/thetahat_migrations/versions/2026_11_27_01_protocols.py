"""Add protocols: plans that are fixed beforehand, and what evaluations and series say of them.

Safe while the previous release runs: yes; it does not know the table, and the new columns may be
empty. An evaluation that names a protocol waits for a worker of this release.
Reversible: yes; the protocols are lost, and results keep what they say of them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_27_01"
down_revision = "2026_11_26_05"
branch_labels = None
depends_on = None

NAMING = ("evaluation", "series")
DATA_INDEX = "ix_evaluation_owner_id_data_sha256"


def upgrade() -> None:
    op.create_table(
        "protocol",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(200), nullable=True),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("evaluations", sa.BigInteger(), nullable=False),
        sa.Column("series", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.String(255), nullable=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("withdrawn_reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_protocol"),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_protocol_owner_id_owner"),
        sa.UniqueConstraint("owner_id", "key", name="uq_protocol_owner_id_key"),
    )
    op.create_index(
        "ix_protocol_owner_id_created_at_id", "protocol", ["owner_id", "created_at", "id"]
    )
    op.create_index("ix_protocol_withdrawn_at", "protocol", ["withdrawn_at"])
    for table in NAMING:
        op.add_column(table, sa.Column("protocol_id", sa.Uuid(), nullable=True))
        op.add_column(table, sa.Column("protocol", sa.JSON(), nullable=True))
        op.create_index(f"ix_{table}_protocol_id", table, ["protocol_id"])
    op.create_index(DATA_INDEX, "evaluation", ["owner_id", "data_sha256"])


def downgrade() -> None:
    op.drop_index(DATA_INDEX, "evaluation")
    for table in NAMING:
        op.drop_index(f"ix_{table}_protocol_id", table)
        op.drop_column(table, "protocol")
        op.drop_column(table, "protocol_id")
    op.drop_table("protocol")
