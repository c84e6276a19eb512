"""Extend two indexes of evaluations, so that lists by status and counts need no other rows.

Safe while the previous release runs: yes; the new indexes begin with the columns of the old ones.
Reversible: yes; nothing is lost.
"""

from __future__ import annotations

from alembic import op

revision = "2026_11_22_15"
down_revision = "2026_11_22_14"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_evaluation_owner_id_status_created_at_id",
        "evaluation",
        ["owner_id", "status", "created_at", "id"],
    )
    op.create_index(
        "ix_evaluation_status_created_at_kind", "evaluation", ["status", "created_at", "kind"]
    )
    op.drop_index("ix_evaluation_owner_id_status", "evaluation")
    op.drop_index("ix_evaluation_status", "evaluation")


def downgrade() -> None:
    op.create_index("ix_evaluation_status", "evaluation", ["status"])
    op.create_index("ix_evaluation_owner_id_status", "evaluation", ["owner_id", "status"])
    op.drop_index("ix_evaluation_status_created_at_kind", "evaluation")
    op.drop_index("ix_evaluation_owner_id_status_created_at_id", "evaluation")
