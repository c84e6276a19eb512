"""The tables of the database, which has the whole state; messages of the broker are only hints.

There is no object mapping: the code reads and writes rows, and loading SQLAlchemy's mapper would
take a sixth of the service's start.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from service.storage.instants import Instant

METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _key(name: str, kind: Any, *constraints: sa.ForeignKey, index: bool = False) -> sa.Column[Any]:
    """Return a column of the primary key."""
    return sa.Column(name, kind, *constraints, primary_key=True, index=index)


def _required(name: str, kind: Any, *constraints: sa.ForeignKey, **options: Any) -> sa.Column[Any]:
    """Return a column that is never NULL."""
    return sa.Column(name, kind, *constraints, nullable=False, **options)


def _evaluation_key() -> sa.ForeignKey:
    """Return a foreign key by which a row is deleted with its evaluation."""
    return sa.ForeignKey("evaluation.id", ondelete="CASCADE")


# Whom data sets and evaluations belong to; ``local`` is the one without keys.
OWNER = sa.Table(
    "owner",
    METADATA,
    _key("id", sa.Uuid()),
    _required("name", sa.String(120), unique=True),
    _required("created_at", Instant()),
)

# A key's digest and its visible beginning; the key itself is shown once and not kept.
API_KEY = sa.Table(
    "api_key",
    METADATA,
    _key("id", sa.Uuid()),
    _required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id"), index=True),
    _required("name", sa.String(120)),
    _required("prefix", sa.String(24), unique=True),
    _required("digest", sa.String(64)),
    _required("created_at", Instant()),
    sa.Column("last_used_at", Instant()),
    sa.Column("revoked_at", Instant()),
    _required("scope", sa.String(8), server_default="submit"),
    sa.Column("expires_at", Instant()),
)

# A browser that has logged in with a key, by the digest of the token in its cookie.
SESSION = sa.Table(
    "session",
    METADATA,
    _key("digest", sa.String(64)),
    _required("key_id", sa.Uuid(), sa.ForeignKey("api_key.id"), index=True),
    _required("created_at", Instant()),
    _required("expires_at", Instant()),
)

# Who did what; rows stay when what they name is deleted.
AUDIT_ENTRY = sa.Table(
    "audit_entry",
    METADATA,
    _key("id", sa.Uuid()),
    _required("at", Instant()),
    sa.Column("owner_id", sa.Uuid()),  # whose data it is about; NULL for keys
    _required("actor", sa.String(40)),  # beginning of a key, "local", "command line" or "service"
    _required("action", sa.String(40)),
    _required("subject", sa.String(200)),  # id of an evaluation or data set, beginning of a key
    sa.Column("request_id", sa.String(64)),
    sa.Index("ix_audit_entry_at_id", "at", "id"),
    sa.Index("ix_audit_entry_subject", "subject"),
)

# An uploaded file; the bytes lie in the file store under their SHA-256.
DATASET = sa.Table(
    "dataset",
    METADATA,
    _key("id", sa.Uuid()),
    _required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id"), index=True),
    _required("sha256", sa.String(64), index=True),
    _required("media_type", sa.String(80)),
    _required("bytes", sa.BigInteger()),
    _required("rows", sa.BigInteger()),
    _required("columns", sa.JSON()),
    _required("details", sa.JSON()),
    sa.Column("name", sa.String(200)),
    _required("created_at", Instant()),
    sa.Column("last_uploaded_at", Instant()),  # NULL if it was uploaded once
    sa.UniqueConstraint("owner_id", "sha256", "media_type"),
    sa.Index("ix_dataset_created_at", "created_at"),
)

# A job as its client sees it.
EVALUATION = sa.Table(
    "evaluation",
    METADATA,
    _key("id", sa.Uuid()),
    _required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id")),
    _required("kind", sa.String(40)),
    sa.Column("name", sa.String(200)),
    _required("status", sa.String(16)),
    _required("version", sa.Integer()),  # counts every change a client can see; the ETag
    _required("request", sa.Text()),  # canonical JSON
    _required("request_sha256", sa.String(64)),
    _required("data_sha256", sa.String(64)),
    _required("seed", sa.BigInteger()),
    _required("progress_done", sa.BigInteger()),
    sa.Column("progress_total", sa.BigInteger()),
    _required("progress_unit", sa.String(24)),
    sa.Column("error", sa.JSON()),
    sa.Column("summary", sa.JSON(none_as_null=True)),  # of the result, for lists
    _required("created_at", Instant()),
    sa.Column("started_at", Instant()),
    sa.Column("finished_at", Instant()),
    sa.Column("cancel_requested_at", Instant()),
    sa.Index("ix_evaluation_owner_id_created_at_id", "owner_id", "created_at", "id"),
    sa.Index(
        "ix_evaluation_owner_id_status_created_at_id", "owner_id", "status", "created_at", "id"
    ),
    sa.Index("ix_evaluation_status_created_at_kind", "status", "created_at", "kind"),
    sa.Index("ix_evaluation_finished_at", "finished_at"),
    sa.CheckConstraint(
        "status IN ('queued','running','succeeded','failed','cancelled')", name="status"
    ),
)

# One label of an evaluation; a table of its own so that lists can filter by it.
EVALUATION_LABEL = sa.Table(
    "evaluation_label",
    METADATA,
    _key("evaluation_id", sa.Uuid(), _evaluation_key()),
    _key("key", sa.String(64)),
    _required("value", sa.String(512)),
    sa.Index("ix_evaluation_label_key_value", "key", "value"),
)

# Which data sets an evaluation reads.
EVALUATION_DATASET = sa.Table(
    "evaluation_dataset",
    METADATA,
    _key("evaluation_id", sa.Uuid(), _evaluation_key()),
    _key("dataset_id", sa.Uuid(), sa.ForeignKey("dataset.id"), index=True),
)

# The result, written once.
EVALUATION_RESULT = sa.Table(
    "evaluation_result",
    METADATA,
    _key("evaluation_id", sa.Uuid(), _evaluation_key()),
    _required("body", sa.Text()),  # JSON, as it is sent
    sa.Column("losses_file", sa.String(200)),  # name in the file store
    _required("created_at", Instant()),
)

# What somebody decided after reading a result; rows are added and never changed.
SIGN_OFF = sa.Table(
    "sign_off",
    METADATA,
    _key("id", sa.Uuid()),
    _required("evaluation_id", sa.Uuid(), _evaluation_key()),
    _required("at", Instant()),
    _required("name", sa.String(120)),  # who signs, in their own words
    _required("owner", sa.String(120)),  # name of the owner of the key
    _required("actor", sa.String(40)),  # beginning of the key, or "local"
    _required("decision", sa.String(16)),
    _required("comment", sa.Text()),
    _required("result_sha256", sa.String(64)),  # of the body of the result that was signed
    sa.Index("ix_sign_off_evaluation_id_at_id", "evaluation_id", "at", "id"),
    sa.CheckConstraint("decision IN ('approved','rejected','needs_changes')", name="decision"),
)

# One unit of work: claimed with a lease and an attempt number, recorded once.
UNIT = sa.Table(
    "unit",
    METADATA,
    _key("evaluation_id", sa.Uuid(), _evaluation_key()),
    _key("number", sa.Integer()),  # 0 start, 1.. chunks, last gather
    _required("stage", sa.String(8)),
    _required("payload", sa.JSON()),
    _required("size", sa.BigInteger()),  # what it adds to the progress
    _required("state", sa.String(16)),
    _required("place", sa.Double()),  # in the queue; see service.storage.units
    _required("attempt", sa.Integer()),  # counts claims; an older attempt's outcome is not recorded
    _required("lost", sa.Integer()),  # counts claims whose worker was lost
    sa.Column("worker_id", sa.Uuid()),
    sa.Column("claimed_at", sa.Double()),  # epoch seconds by the database's clock
    sa.Column("lease_until", sa.Double()),  # likewise
    _required("not_before", sa.Double()),  # epoch seconds; back-off after a lost worker
    # Epoch seconds of the last message to the broker.
    _required("nudged_at", sa.Double(), key="message_sent_at"),
    sa.Column("output_file", sa.String(200)),
    sa.Column("part", sa.String(200)),  # a learner, that may fail alone
    sa.Column("seconds", sa.Double()),  # that the attempt took which recorded the outcome
    sa.Column("lost_seconds", sa.Double()),  # that attempts took which recorded none
    sa.Column("owner_id", sa.Uuid()),  # of the evaluation; owners take turns in the queue
    sa.Column("cut_from", sa.Integer()),  # the chunk that this one is the rest of
    # Epoch seconds since when the file store or the database fails each attempt.
    sa.Column("unavailable_since", sa.Double()),
    sa.Index("ix_unit_state_lease_until", "state", "lease_until"),
    sa.Index("ix_unit_state_owner_id_place", "state", "owner_id", "place"),
    sa.Index("ix_unit_owner_id_claimed_at", "owner_id", "claimed_at"),
    sa.Index("ix_unit_state_nudged_at", "state", "message_sent_at"),
    sa.Index("ix_unit_worker_id", "worker_id"),
    sa.Index("ix_unit_evaluation_id_state", "evaluation_id", "state"),
    sa.CheckConstraint("state IN ('queued','running','done','failed','cancelled')", name="state"),
    sa.CheckConstraint("stage IN ('start','chunk','gather')", name="stage"),
)

# What happened to an evaluation, in order; replayed to clients that come back.
EVENT = sa.Table(
    "event",
    METADATA,
    _key("evaluation_id", sa.Uuid(), _evaluation_key()),
    _key("number", sa.Integer()),
    _required("at", Instant()),
    _required("type", sa.String(32)),
    _required("data", sa.JSON()),
)

# The first answer to a request that may come twice.
IDEMPOTENCY_KEY = sa.Table(
    "idempotency_key",
    METADATA,
    _key("owner_id", sa.Uuid(), sa.ForeignKey("owner.id")),
    _key("key", sa.String(255)),
    _required("fingerprint", sa.String(64)),
    _required("evaluation_id", sa.Uuid(), _evaluation_key(), index=True),
    _required("created_at", Instant()),
)

# An address that is told when an owner's evaluations end.
WEBHOOK = sa.Table(
    "webhook",
    METADATA,
    _key("id", sa.Uuid()),
    _required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id"), index=True),
    _required("url", sa.String(2000)),
    _required("event_types", sa.JSON()),
    _required("secret", sa.String(100)),  # signs deliveries, so it is kept as it is
    sa.Column("description", sa.String(200)),
    _required("created_at", Instant()),
    sa.Column("disabled_at", Instant()),  # when the receiver answered 410
    sa.Column("labels", sa.JSON(none_as_null=True)),  # evaluations with all of them; NULL: all
    sa.Column("previous_secret", sa.String(100)),  # signs too, until the time beside it
    sa.Column("previous_secret_until", Instant()),
)

# One message to a webhook, written in the transaction that ends the evaluation.
WEBHOOK_DELIVERY = sa.Table(
    "webhook_delivery",
    METADATA,
    _key("id", sa.Uuid()),
    _required("webhook_id", sa.Uuid(), sa.ForeignKey("webhook.id", ondelete="CASCADE")),
    _required("evaluation_id", sa.Uuid()),  # which may be deleted before the delivery
    _required("event_type", sa.String(40)),
    _required("body", sa.Text()),  # JSON, as it is signed and sent
    _required("state", sa.String(16)),
    _required("attempts", sa.Integer()),
    _required("next_attempt_at", sa.Double()),  # epoch seconds; a claim moves it to its own end
    _required("created_at", Instant()),
    sa.Column("last_attempt_at", Instant()),
    sa.Column("last_status", sa.Integer()),  # HTTP status of the last answer; NULL without one
    sa.Column("last_error", sa.String(400)),
    sa.Index("ix_webhook_delivery_state_next_attempt_at", "state", "next_attempt_at"),
    sa.Index("ix_webhook_delivery_webhook_id_created_at_id", "webhook_id", "created_at", "id"),
    sa.CheckConstraint("state IN ('pending','delivered','dead')", name="state"),
)

# A worker process and when it was last heard of.
WORKER = sa.Table(
    "worker",
    METADATA,
    _key("id", sa.Uuid()),
    _required("node", sa.Uuid(), index=True),  # the command that started it
    _required("host", sa.String(255)),
    _required("pid", sa.Integer()),
    _required("version", sa.String(24)),
    _required("started_at", Instant()),
    _required("heartbeat_at", sa.Double()),  # epoch seconds by the database's clock
    sa.Column("prepared_at", Instant()),  # empty until it has imported packages and loaded loops
)

# A duty that one process at a time has, such as sweeping.
LEASE = sa.Table(
    "lease",
    METADATA,
    _key("name", sa.String(40)),
    sa.Column("holder", sa.Uuid()),
    _required("until", sa.Double()),  # epoch seconds by the database's clock
)

# The one file store of this database; the store has the same id in a file.
FILE_STORE = sa.Table(
    "file_store",
    METADATA,
    _key("name", sa.String(40)),
    _required("id", sa.Uuid()),
    _required("created_at", Instant()),
)

# Totals of all processes, for /metrics.
COUNTER = sa.Table(
    "counter",
    METADATA,
    _key("name", sa.String(80)),
    _key("labels", sa.String(400)),  # JSON, its keys in alphabetic order
    _required("value", sa.Double()),
)
