"""Keep when a data set was last uploaded, from which a retention time counts.

Safe while the previous release runs: yes; the column may be empty, and then the time counts from
the first upload.
Reversible: yes; the times of later uploads are lost.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_07"
down_revision = "2026_11_22_06"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "dataset", sa.Column("last_uploaded_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.create_index("ix_dataset_created_at", "dataset", ["created_at"])


def downgrade() -> None:
    op.drop_index("ix_dataset_created_at", "dataset")
    op.drop_column("dataset", "last_uploaded_at")
