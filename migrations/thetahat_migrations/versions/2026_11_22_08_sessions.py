"""Add the sessions of browsers that have logged in with a key.

Safe while the previous release runs: yes; it does not know the table.
Reversible: yes; everybody has to log in again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_08"
down_revision = "2026_11_22_07"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "session",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_session"),
        sa.ForeignKeyConstraint(["key_id"], ["api_key.id"], name="fk_session_key_id_api_key"),
    )
    op.create_index("ix_session_key_id", "session", ["key_id"])


def downgrade() -> None:
    op.drop_table("session")
