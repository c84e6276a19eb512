"""Order the pending deliveries by webhook in an index, so that few are read however many are due.

Safe while the previous release runs: yes; it finds due deliveries by the first column.
Reversible: yes; nothing is lost.
"""

from __future__ import annotations

from alembic import op

revision = "2026_11_26_05"
down_revision = "2026_11_26_03"
branch_labels = None
depends_on = None

TABLE = "webhook_delivery"
OLD = "ix_webhook_delivery_state_next_attempt_at"
NEW = "ix_webhook_delivery_state_webhook_id_next_attempt_at"


def upgrade() -> None:
    op.create_index(NEW, TABLE, ["state", "webhook_id", "next_attempt_at"])
    op.drop_index(OLD, TABLE)


def downgrade() -> None:
    op.create_index(OLD, TABLE, ["state", "next_attempt_at"])
    op.drop_index(NEW, TABLE)
