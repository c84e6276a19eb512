"""Add sign-offs: who decided what about a result, with the digest of that result.

Safe while the previous release runs: yes; it does not know the table, and a sign-off is deleted
with its evaluation by the database. Its retention may delete an evaluation that is signed.
Reversible: yes; the sign-offs are lost.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_09"
down_revision = "2026_11_22_08"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sign_off",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("evaluation_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("owner", sa.String(120), nullable=False),
        sa.Column("actor", sa.String(40), nullable=False),
        sa.Column("decision", sa.String(16), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("result_sha256", sa.String(64), nullable=False),
        sa.CheckConstraint(
            "decision IN ('approved','rejected','needs_changes')", name="ck_sign_off_decision"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sign_off"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.id"],
            name="fk_sign_off_evaluation_id_evaluation",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_sign_off_evaluation_id_at_id", "sign_off", ["evaluation_id", "at", "id"])


def downgrade() -> None:
    op.drop_table("sign_off")
