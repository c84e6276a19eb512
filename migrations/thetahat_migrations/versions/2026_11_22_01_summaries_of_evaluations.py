"""Keep the summary of a finished evaluation with its row, for lists.

Safe while the previous release runs: yes; the column may be empty, and it neither reads nor writes
it.
Reversible: yes; lists no longer show summaries, which are also in the results.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_01"
down_revision = "2026_11_21_02"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("evaluation", sa.Column("summary", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("evaluation", "summary")
