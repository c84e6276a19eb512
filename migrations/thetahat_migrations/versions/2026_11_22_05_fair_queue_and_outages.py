"""Let owners take turns in the queue, cut chunks that take long, and keep how long a fault lasts.

Safe while the previous release runs: yes; all columns may be empty. Units that the previous release
queues have no owner, and the sweeper fills it in.
Reversible: yes; owners no longer take turns, and units that wait for the file store do so without a
limit.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_05"
down_revision = "2026_11_22_03"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("unit", sa.Column("owner_id", sa.Uuid(), nullable=True))
    op.add_column("unit", sa.Column("cut_from", sa.Integer(), nullable=True))
    op.add_column("unit", sa.Column("unavailable_since", sa.Double(), nullable=True))
    op.execute(
        "UPDATE unit SET owner_id = "
        "(SELECT owner_id FROM evaluation WHERE evaluation.id = unit.evaluation_id)"
    )
    op.create_index("ix_unit_state_owner_id_place", "unit", ["state", "owner_id", "place"])
    op.create_index("ix_unit_owner_id_claimed_at", "unit", ["owner_id", "claimed_at"])
    op.create_index("ix_unit_state_nudged_at", "unit", ["state", "nudged_at"])
    op.drop_index("ix_unit_state_place", "unit")


def downgrade() -> None:
    op.create_index("ix_unit_state_place", "unit", ["state", "place"])
    op.drop_index("ix_unit_state_nudged_at", "unit")
    op.drop_index("ix_unit_owner_id_claimed_at", "unit")
    op.drop_index("ix_unit_state_owner_id_place", "unit")
    op.drop_column("unit", "unavailable_since")
    op.drop_column("unit", "cut_from")
    op.drop_column("unit", "owner_id")
