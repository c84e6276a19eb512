"""Add labels and the previous secret to webhooks.

Safe while the previous release runs: yes; it signs with the new secret alone, and sends also what
the labels of a webhook leave out.
Reversible: yes; labels and previous secrets are forgotten.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_23_01"
down_revision = "2026_11_22_15"
branch_labels = None
depends_on = None

COLUMNS = ("labels", "previous_secret", "previous_secret_until")


def upgrade() -> None:
    op.add_column("webhook", sa.Column("labels", sa.JSON(), nullable=True))
    op.add_column("webhook", sa.Column("previous_secret", sa.String(100), nullable=True))
    op.add_column(
        "webhook", sa.Column("previous_secret_until", sa.DateTime(timezone=True), nullable=True)
    )


def downgrade() -> None:
    with op.batch_alter_table("webhook") as table:
        for column in COLUMNS:
            table.drop_column(column)
