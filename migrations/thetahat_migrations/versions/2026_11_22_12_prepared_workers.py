"""Add the time at which a worker was prepared to compute, for the state ``warming``.

Safe while the previous release runs: yes; the column may be empty, and a worker of the previous
release counts as not prepared.
Reversible: yes; the times are lost.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_12"
down_revision = "2026_11_22_09"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("worker", sa.Column("prepared_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("worker", "prepared_at")
