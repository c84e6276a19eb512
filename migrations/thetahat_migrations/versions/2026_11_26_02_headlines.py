"""Keep the headline of a finished evaluation with its row, for lists.

It stays empty for what is finished already: the list reads it from the result.
Safe while the previous release runs: yes; the column may be empty, and it neither reads nor writes
it.
Reversible: yes; it follows from the results.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_26_02"
down_revision = "2026_11_26_01"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("evaluation", sa.Column("headline", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("evaluation", "headline")
