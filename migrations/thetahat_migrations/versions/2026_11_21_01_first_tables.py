"""Create the first tables, and the owner of what is sent without a key.

Safe while the previous release runs: yes, there is none; every table is new.
Reversible: yes; going back drops all evaluations, data set records and keys.
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa
from alembic import op

revision = "2026_11_21_01"
down_revision = None
branch_labels = None
depends_on = None

LOCAL_OWNER = UUID("00000000-0000-4000-8000-000000000001")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_owners()
    _create_datasets()
    _create_evaluations()
    _create_evaluation_parts()
    _create_units()
    _create_workers()


def _create_owners() -> None:
    owner = op.create_table(
        "owner",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_owner"),
        sa.UniqueConstraint("name", name="uq_owner_name"),
    )
    now = datetime.now(UTC)
    op.bulk_insert(owner, [{"id": LOCAL_OWNER, "name": "local", "created_at": now}])
    op.create_table(
        "api_key",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("prefix", sa.String(24), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("last_used_at", MOMENT, nullable=True),
        sa.Column("revoked_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_api_key"),
        sa.UniqueConstraint("prefix", name="uq_api_key_prefix"),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_api_key_owner_id_owner"),
    )
    op.create_index("ix_api_key_owner_id", "api_key", ["owner_id"])


def _create_datasets() -> None:
    op.create_table(
        "dataset",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("media_type", sa.String(80), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("name", sa.String(200), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dataset"),
        sa.UniqueConstraint(
            "owner_id", "sha256", "media_type", name="uq_dataset_owner_id_sha256_media_type"
        ),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_dataset_owner_id_owner"),
    )
    op.create_index("ix_dataset_owner_id", "dataset", ["owner_id"])
    op.create_index("ix_dataset_sha256", "dataset", ["sha256"])


def _create_evaluations() -> None:
    op.create_table(
        "evaluation",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("name", sa.String(200), nullable=True),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("request_sha256", sa.String(64), nullable=False),
        sa.Column("data_sha256", sa.String(64), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("progress_done", sa.BigInteger(), nullable=False),
        sa.Column("progress_total", sa.BigInteger(), nullable=True),
        sa.Column("progress_unit", sa.String(24), nullable=False),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("started_at", MOMENT, nullable=True),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.Column("cancel_requested_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_evaluation"),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_evaluation_owner_id_owner"),
        sa.CheckConstraint(
            "status IN ('queued','running','succeeded','failed','cancelled')",
            name=op.f("ck_evaluation_status"),
        ),
    )
    op.create_index(
        "ix_evaluation_owner_id_created_at_id", "evaluation", ["owner_id", "created_at", "id"]
    )
    op.create_index("ix_evaluation_owner_id_status", "evaluation", ["owner_id", "status"])
    op.create_index("ix_evaluation_status", "evaluation", ["status"])


def _evaluation_id(table: str) -> tuple[sa.Column[UUID], sa.ForeignKeyConstraint]:
    """Return the column that ties a row to its evaluation and goes with it."""
    return (
        sa.Column("evaluation_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.id"],
            name=f"fk_{table}_evaluation_id_evaluation",
            ondelete="CASCADE",
        ),
    )


def _create_evaluation_parts() -> None:
    op.create_table(
        "evaluation_label",
        *_evaluation_id("evaluation_label"),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("value", sa.String(512), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "key", name="pk_evaluation_label"),
    )
    op.create_index("ix_evaluation_label_key_value", "evaluation_label", ["key", "value"])
    op.create_table(
        "evaluation_dataset",
        *_evaluation_id("evaluation_dataset"),
        sa.Column("dataset_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "dataset_id", name="pk_evaluation_dataset"),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["dataset.id"], name="fk_evaluation_dataset_dataset_id_dataset"
        ),
    )
    op.create_index("ix_evaluation_dataset_dataset_id", "evaluation_dataset", ["dataset_id"])
    op.create_table(
        "evaluation_result",
        *_evaluation_id("evaluation_result"),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("losses_file", sa.String(200), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", name="pk_evaluation_result"),
    )
    op.create_table(
        "event",
        *_evaluation_id("event"),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "number", name="pk_event"),
    )
    op.create_table(
        "idempotency_key",
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        *_evaluation_id("idempotency_key"),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "key", name="pk_idempotency_key"),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["owner.id"], name="fk_idempotency_key_owner_id_owner"
        ),
    )
    op.create_index("ix_idempotency_key_evaluation_id", "idempotency_key", ["evaluation_id"])


def _create_units() -> None:
    op.create_table(
        "unit",
        *_evaluation_id("unit"),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(8), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("place", sa.Double(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("lost", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.Uuid(), nullable=True),
        sa.Column("claimed_at", sa.Double(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("not_before", sa.Double(), nullable=False),
        sa.Column("nudged_at", sa.Double(), nullable=False),
        sa.Column("output_file", sa.String(200), nullable=True),
        sa.PrimaryKeyConstraint("evaluation_id", "number", name="pk_unit"),
        sa.CheckConstraint(
            "state IN ('queued','running','done','failed','cancelled')", name=op.f("ck_unit_state")
        ),
        sa.CheckConstraint("stage IN ('start','chunk','gather')", name=op.f("ck_unit_stage")),
    )
    op.create_index("ix_unit_state_lease_until", "unit", ["state", "lease_until"])
    op.create_index("ix_unit_state_place", "unit", ["state", "place"])
    op.create_index("ix_unit_worker_id", "unit", ["worker_id"])


def _create_workers() -> None:
    op.create_table(
        "worker",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("node", sa.Uuid(), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(24), nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("heartbeat_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_worker"),
    )
    op.create_index("ix_worker_node", "worker", ["node"])
    lease = op.create_table(
        "lease",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("holder", sa.Uuid(), nullable=True),
        sa.Column("until", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_lease"),
    )
    op.bulk_insert(lease, [{"name": "sweep", "holder": None, "until": 0.0}])


def downgrade() -> None:
    for table in (
        "lease",
        "worker",
        "unit",
        "idempotency_key",
        "event",
        "evaluation_result",
        "evaluation_dataset",
        "evaluation_label",
        "evaluation",
        "dataset",
        "api_key",
        "owner",
    ):
        op.drop_table(table)
