"""Keep the id of the file store, which the store has in a file, too.

Safe while the previous release runs: yes; it neither reads nor writes the table.
Reversible: yes; the store keeps its file, and the next upgrade reads the id from it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_03"
down_revision = "2026_11_22_02"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "file_store",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_file_store"),
    )


def downgrade() -> None:
    op.drop_table("file_store")
