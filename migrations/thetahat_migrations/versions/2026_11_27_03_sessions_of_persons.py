"""Add the sessions of persons that have logged in at a provider of identities.

Safe while the previous release runs: yes; it does not know the table.
Reversible: yes; these persons have to log in again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_27_03"
down_revision = "2026_11_27_02"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "person_session",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("issuer", sa.String(200), nullable=False),
        sa.Column("actor", sa.String(40), nullable=False),
        sa.Column("scope", sa.String(8), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_person_session"),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["owner.id"], name="fk_person_session_owner_id_owner"
        ),
    )
    op.create_index("ix_person_session_owner_id", "person_session", ["owner_id"])


def downgrade() -> None:
    op.drop_table("person_session")
