"""Add the seconds of lost attempts at a unit, and an index of units by evaluation and state.

The seconds count towards the time limit of a job. Without the index, looking for a unit that is not
done reads all units of an evaluation.

Safe while the previous release runs: yes; the column may be empty, and it neither reads nor writes
it, so the attempts that it loses do not count.
Reversible: yes; the seconds of lost attempts are forgotten.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_13"
down_revision = "2026_11_22_12"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("unit", sa.Column("lost_seconds", sa.Double(), nullable=True))
    op.create_index("ix_unit_evaluation_id_state", "unit", ["evaluation_id", "state"])


def downgrade() -> None:
    op.drop_index("ix_unit_evaluation_id_state", "unit")
    op.drop_column("unit", "lost_seconds")
