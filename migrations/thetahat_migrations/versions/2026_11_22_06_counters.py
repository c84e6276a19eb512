"""Add the totals that /metrics shows, and an index for what a retention time deletes.

Safe while the previous release runs: yes; it neither reads nor writes the table.
Reversible: yes; the totals are lost.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_06"
down_revision = "2026_11_22_05"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "counter",
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("labels", sa.String(400), primary_key=True),
        sa.Column("value", sa.Double(), nullable=False),
    )
    op.create_index("ix_evaluation_finished_at", "evaluation", ["finished_at"])


def downgrade() -> None:
    op.drop_index("ix_evaluation_finished_at", "evaluation")
    op.drop_table("counter")
