"""Give API keys a scope and an end, and add the audit log.

Safe while the previous release runs: yes; it writes keys without a scope, which then may submit, as
they could before, and does not know the audit log. It does not see that a key has expired.
Reversible: yes; the audit log is lost, and keys that could only read can then submit.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2026_11_22_02"
down_revision = "2026_11_22_01"
branch_labels = None
depends_on = None


def upgrade() -> None:
    scope = sa.Column("scope", sa.String(8), nullable=False, server_default="submit")
    op.add_column("api_key", scope)
    op.add_column("api_key", sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        sa.Column("actor", sa.String(40), nullable=False),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("request_id", sa.String(64), nullable=True),
    )
    op.create_index("ix_audit_entry_at_id", "audit_entry", ["at", "id"])
    op.create_index("ix_audit_entry_subject", "audit_entry", ["subject"])


def downgrade() -> None:
    op.drop_table("audit_entry")
    op.drop_column("api_key", "expires_at")
    op.drop_column("api_key", "scope")
