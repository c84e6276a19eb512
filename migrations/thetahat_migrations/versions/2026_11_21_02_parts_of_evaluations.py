"""Keep which part of an evaluation a unit belongs to, and how long it took.

Safe while the previous release runs: yes; both columns may be empty, and it neither reads nor
writes them.
Reversible: yes; what goes is progress by learner and the estimate of the time left.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_21_02"
down_revision = "2026_11_21_01"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("unit", sa.Column("part", sa.String(200), nullable=True))
    op.add_column("unit", sa.Column("seconds", sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column("unit", "seconds")
    op.drop_column("unit", "part")
