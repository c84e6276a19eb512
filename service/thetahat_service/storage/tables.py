"""The tables of the database, which has the whole state; messages of the broker are only hints.

There is no object mapping: the code reads and writes rows, and loading SQLAlchemy's mapper would
take a sixth of the service's start.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from thetahat_service.storage.instants import Instant

METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _make_key(
    name: str, kind: Any, *constraints: sa.ForeignKey, index: bool = False
) -> sa.Column[Any]:
    """Return a column of the primary key."""
    return sa.Column(name, kind, *constraints, primary_key=True, index=index)


def _make_required(
    name: str, kind: Any, *constraints: sa.ForeignKey, **options: Any
) -> sa.Column[Any]:
    """Return a column that is never NULL."""
    return sa.Column(name, kind, *constraints, nullable=False, **options)


def _make_evaluation_key() -> sa.ForeignKey:
    """Return a foreign key by which a row is deleted with its evaluation."""
    return sa.ForeignKey("evaluation.id", ondelete="CASCADE")


# The owners of data sets and evaluations; ``local`` owns what is sent without a key.
OWNER = sa.Table(
    "owner",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("name", sa.String(120), unique=True),
    _make_required("created_at", Instant()),
)

# A key's digest and its visible beginning; the key itself is shown once and not kept.
API_KEY = sa.Table(
    "api_key",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id"), index=True),
    _make_required("name", sa.String(120)),
    _make_required("prefix", sa.String(24), unique=True),
    _make_required("digest", sa.String(64)),
    _make_required("created_at", Instant()),
    sa.Column("last_used_at", Instant()),
    sa.Column("revoked_at", Instant()),
    _make_required("scope", sa.String(8), server_default="submit"),
    sa.Column("expires_at", Instant()),
)

# A browser session that was opened with a key; its id is the digest of the cookie's token.
SESSION = sa.Table(
    "session",
    METADATA,
    _make_key("digest", sa.String(64)),
    _make_required("key_id", sa.Uuid(), sa.ForeignKey("api_key.id"), index=True),
    _make_required("created_at", Instant()),
    _make_required("expires_at", Instant()),
)

# A browser session of a person who has logged in at the log-in provider, which is its issuer.
PERSON_SESSION = sa.Table(
    "person_session",
    METADATA,
    _make_key("digest", sa.String(64)),
    _make_required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id"), index=True),
    _make_required("issuer", sa.String(200)),
    _make_required("actor", sa.String(40)),
    _make_required("scope", sa.String(8)),
    _make_required("created_at", Instant()),
    _make_required("expires_at", Instant()),
)

# The audit log: who did what. Rows stay when the evaluation or data set is deleted.
AUDIT_ENTRY = sa.Table(
    "audit_entry",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("at", Instant()),
    sa.Column("owner_id", sa.Uuid()),  # whose data it is about; NULL for keys
    # Beginning of a key, "local", "command line" or "service".
    _make_required("actor", sa.String(40)),
    _make_required("action", sa.String(40)),
    # Id of an evaluation or data set, beginning of a key.
    _make_required("subject", sa.String(200)),
    sa.Column("request_id", sa.String(64)),
    sa.Index("ix_audit_entry_at_id", "at", "id"),
    sa.Index("ix_audit_entry_subject", "subject"),
)

# An uploaded file; the bytes lie in the file store under their SHA-256.
DATASET = sa.Table(
    "dataset",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id"), index=True),
    _make_required("sha256", sa.String(64), index=True),
    _make_required("media_type", sa.String(80)),
    _make_required("bytes", sa.BigInteger()),
    _make_required("rows", sa.BigInteger()),
    _make_required("columns", sa.JSON()),
    _make_required("details", sa.JSON()),
    sa.Column("name", sa.String(200)),
    _make_required("created_at", Instant()),
    sa.Column("last_uploaded_at", Instant()),  # NULL if it was uploaded only once
    sa.UniqueConstraint("owner_id", "sha256", "media_type"),
    sa.Index("ix_dataset_created_at", "created_at"),
)

# One evaluation, with everything that its client sees except the result.
EVALUATION = sa.Table(
    "evaluation",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id")),
    _make_required("kind", sa.String(40)),
    sa.Column("name", sa.String(200)),
    _make_required("status", sa.String(16)),
    # Counts the changes that a client can see; it is the ETag.
    _make_required("version", sa.Integer()),
    _make_required("request", sa.Text()),  # canonical JSON
    _make_required("request_sha256", sa.String(64)),
    _make_required("data_sha256", sa.String(64)),
    _make_required("seed", sa.BigInteger()),
    _make_required("progress_done", sa.BigInteger()),
    sa.Column("progress_total", sa.BigInteger()),
    _make_required("progress_unit", sa.String(24)),
    sa.Column("error", sa.JSON()),
    sa.Column("summary", sa.JSON(none_as_null=True)),  # the summary of the result, shown in lists
    sa.Column("verdict", sa.String(16)),  # on the best model; NULL if it is compared with none
    sa.Column("gate", sa.String(16)),  # outcome of the gate; NULL without one
    sa.Column("headline", sa.Text()),  # the verdict in words; NULL in rows of older releases
    sa.Column("protocol_id", sa.Uuid()),  # the plan that the request names; NULL without one
    sa.Column("protocol", sa.JSON(none_as_null=True)),  # how it follows the plan
    _make_required("created_at", Instant()),
    sa.Column("started_at", Instant()),
    sa.Column("finished_at", Instant()),
    sa.Column("cancel_requested_at", Instant()),
    sa.Index("ix_evaluation_owner_id_created_at_id", "owner_id", "created_at", "id"),
    sa.Index(
        "ix_evaluation_owner_id_status_created_at_id", "owner_id", "status", "created_at", "id"
    ),
    sa.Index(
        "ix_evaluation_owner_id_verdict_created_at_id", "owner_id", "verdict", "created_at", "id"
    ),
    sa.Index("ix_evaluation_owner_id_gate_created_at_id", "owner_id", "gate", "created_at", "id"),
    sa.Index("ix_evaluation_status_created_at_kind", "status", "created_at", "kind"),
    sa.Index("ix_evaluation_finished_at", "finished_at"),
    sa.Index("ix_evaluation_owner_id_data_sha256", "owner_id", "data_sha256"),
    sa.Index("ix_evaluation_protocol_id", "protocol_id"),
    sa.CheckConstraint(
        "status IN ('queued','running','succeeded','failed','cancelled')", name="status"
    ),
)

# One label of an evaluation; a table of its own so that lists can filter by it.
EVALUATION_LABEL = sa.Table(
    "evaluation_label",
    METADATA,
    _make_key("evaluation_id", sa.Uuid(), _make_evaluation_key()),
    _make_key("key", sa.String(64)),
    _make_required("value", sa.String(512)),
    sa.Index("ix_evaluation_label_key_value", "key", "value"),
)

# Which data sets an evaluation reads.
EVALUATION_DATASET = sa.Table(
    "evaluation_dataset",
    METADATA,
    _make_key("evaluation_id", sa.Uuid(), _make_evaluation_key()),
    _make_key("dataset_id", sa.Uuid(), sa.ForeignKey("dataset.id"), index=True),
)

# The result, written once.
EVALUATION_RESULT = sa.Table(
    "evaluation_result",
    METADATA,
    _make_key("evaluation_id", sa.Uuid(), _make_evaluation_key()),
    _make_required("body", sa.Text()),  # JSON, as it is sent
    sa.Column("losses_file", sa.String(200)),  # name in the file store
    _make_required("created_at", Instant()),
)

# A decision that a person recorded after reading a result; rows are added and never changed.
SIGN_OFF = sa.Table(
    "sign_off",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("evaluation_id", sa.Uuid(), _make_evaluation_key()),
    _make_required("at", Instant()),
    _make_required("name", sa.String(120)),  # who signs, in their own words
    _make_required("owner", sa.String(120)),  # name of the owner of the key
    _make_required("actor", sa.String(40)),  # beginning of the key, or "local"
    _make_required("decision", sa.String(16)),
    _make_required("comment", sa.Text()),
    # SHA-256 of the body of the result that was signed.
    _make_required("result_sha256", sa.String(64)),
    sa.Index("ix_sign_off_evaluation_id_at_id", "evaluation_id", "at", "id"),
    sa.CheckConstraint("decision IN ('approved','rejected','needs_changes')", name="decision"),
)

# Losses that arrive in batches. What is kept of the batches are sums: ``state``.
SERIES = sa.Table(
    "series",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id")),
    sa.Column("name", sa.String(200)),
    _make_required("labels", sa.JSON()),
    _make_required("request", sa.Text()),  # canonical JSON; what is fixed
    _make_required("status", sa.String(8)),
    # Counts the batches; a batch is added only to the state with the count that it was added to.
    _make_required("batches", sa.BigInteger()),
    _make_required("state", sa.JSON()),
    sa.Column("decision", sa.String(16)),
    sa.Column("decided_at", Instant()),
    sa.Column("key", sa.String(255)),  # Idempotency-Key of its creation
    _make_required("fingerprint", sa.String(64)),
    _make_required("created_at", Instant()),
    sa.Column("last_batch_at", Instant()),  # when the newest batch was received
    sa.Column("closed_at", Instant()),
    sa.Column("protocol_id", sa.Uuid()),  # the plan that the request names; NULL without one
    sa.Column("protocol", sa.JSON(none_as_null=True)),  # how it follows the plan
    sa.UniqueConstraint("owner_id", "key"),
    sa.Index("ix_series_owner_id_created_at_id", "owner_id", "created_at", "id"),
    sa.Index("ix_series_closed_at", "closed_at"),
    sa.Index("ix_series_protocol_id", "protocol_id"),
    sa.CheckConstraint("status IN ('open','closed')", name="status"),
)

# What the look after a batch has shown, with the Idempotency-Key of the batch.
SERIES_LOOK = sa.Table(
    "series_look",
    METADATA,
    _make_key("series_id", sa.Uuid(), sa.ForeignKey("series.id", ondelete="CASCADE")),
    _make_key("number", sa.BigInteger()),
    _make_required("key", sa.String(255)),
    _make_required("fingerprint", sa.String(64)),
    _make_required("at", Instant()),  # the time that the client gave, else that of receipt
    _make_required("received_at", Instant()),
    _make_required("body", sa.Text()),  # JSON, as it is sent
    sa.UniqueConstraint("series_id", "key"),
)

# A plan that is fixed beforehand. Nothing of it changes but the counts and the withdrawal; what
# names it is counted once and stays counted when it is deleted.
PROTOCOL = sa.Table(
    "protocol",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id")),
    sa.Column("name", sa.String(200)),
    _make_required("request", sa.Text()),  # canonical JSON; what is fixed
    _make_required("evaluations", sa.BigInteger()),
    _make_required("series", sa.BigInteger()),
    sa.Column("key", sa.String(255)),  # Idempotency-Key of its creation
    _make_required("fingerprint", sa.String(64)),
    _make_required("created_at", Instant()),  # by the database's clock, and after what was there
    sa.Column("withdrawn_at", Instant()),
    sa.Column("withdrawn_reason", sa.Text()),
    sa.UniqueConstraint("owner_id", "key"),
    sa.Index("ix_protocol_owner_id_created_at_id", "owner_id", "created_at", "id"),
    sa.Index("ix_protocol_withdrawn_at", "withdrawn_at"),
)

# An evaluation of models on a test set, known by a digest; identical requests are one. Rows stay
# when the evaluation or the data set is deleted: what was looked at stays looked at.
TEST_SET_USE = sa.Table(
    "test_set_use",
    METADATA,
    _make_key("owner_id", sa.Uuid(), sa.ForeignKey("owner.id")),
    _make_key("sha256", sa.String(64)),
    _make_key("request_sha256", sa.String(64)),
    # From 1; that it is unique puts the uses in an order.
    _make_required("number", sa.BigInteger()),
    _make_required("kind", sa.String(40)),
    _make_required("at", Instant()),
    sa.UniqueConstraint("owner_id", "sha256", "number"),
)

# A model that was evaluated on a test set, by the digest of its name.
TEST_SET_MODEL = sa.Table(
    "test_set_model",
    METADATA,
    _make_key("owner_id", sa.Uuid(), sa.ForeignKey("owner.id")),
    _make_key("sha256", sa.String(64)),
    _make_key("name_sha256", sa.String(64)),
)

# A Ladder on the target of a data set: what is published, and the losses of its leader.
LADDER = sa.Table(
    "ladder",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id")),
    _make_required("sha256", sa.String(64)),
    _make_required("target", sa.Text()),
    _make_required("loss", sa.Text()),  # canonical JSON
    sa.Column("step", sa.Double()),  # NULL for the step without a parameter
    # Counts submissions; one is added only to the state with the count that it was added to.
    _make_required("submissions", sa.BigInteger()),
    _make_required("score", sa.Double()),
    _make_required("losses", sa.LargeBinary()),  # compressed, of the leader
    _make_required("created_at", Instant()),
    _make_required("last_at", Instant()),
    sa.UniqueConstraint("owner_id", "sha256", "target"),
)

# The scores that a Ladder has published: one for each submission that changed it.
LADDER_SCORE = sa.Table(
    "ladder_score",
    METADATA,
    _make_key("ladder_id", sa.Uuid(), sa.ForeignKey("ladder.id", ondelete="CASCADE")),
    _make_key("submission", sa.BigInteger()),  # its number
    _make_required("score", sa.Double()),
    sa.Column("model", sa.Text()),  # NULL if it was published before models were kept
    _make_required("at", Instant()),
)

# One unit of work: claimed with a lease and an attempt number, recorded once.
UNIT = sa.Table(
    "unit",
    METADATA,
    _make_key("evaluation_id", sa.Uuid(), _make_evaluation_key()),
    _make_key("number", sa.Integer()),  # 0: start; 1, 2, ...: chunks; last: gathering
    _make_required("stage", sa.String(8)),
    _make_required("payload", sa.JSON()),
    _make_required("size", sa.BigInteger()),  # what the unit adds to the progress
    _make_required("state", sa.String(16)),
    _make_required(
        "place", sa.Double()
    ),  # position in the queue; see thetahat_service.storage.units
    # Counts claims; an older attempt's outcome is not recorded.
    _make_required("attempt", sa.Integer()),
    _make_required("lost", sa.Integer()),  # counts claims whose worker was lost
    sa.Column("worker_id", sa.Uuid()),
    sa.Column("claimed_at", sa.Double()),  # epoch seconds by the database's clock
    sa.Column("lease_until", sa.Double()),  # epoch seconds
    # Epoch seconds before which it is not claimed: the back-off after a lost worker.
    _make_required("not_before", sa.Double()),
    # Epoch seconds of the last message to the broker.
    _make_required("nudged_at", sa.Double(), key="message_sent_at"),
    sa.Column("output_file", sa.String(200)),
    sa.Column("part", sa.String(200)),  # the learner; it can fail while the others go on
    sa.Column("seconds", sa.Double()),  # duration of the attempt that recorded the outcome
    sa.Column("lost_seconds", sa.Double()),  # duration of the attempts that recorded no outcome
    sa.Column("owner_id", sa.Uuid()),  # owner of the evaluation; owners take turns in the queue
    sa.Column("cut_from", sa.Integer()),  # number of the chunk that this one was cut from
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

# The events of an evaluation, in order; clients that reconnect get those that they missed.
EVENT = sa.Table(
    "event",
    METADATA,
    _make_key("evaluation_id", sa.Uuid(), _make_evaluation_key()),
    _make_key("number", sa.Integer()),
    _make_required("at", Instant()),
    _make_required("type", sa.String(32)),
    _make_required("data", sa.JSON()),
)

# The first request with each Idempotency-Key, and the evaluation that it made.
IDEMPOTENCY_KEY = sa.Table(
    "idempotency_key",
    METADATA,
    _make_key("owner_id", sa.Uuid(), sa.ForeignKey("owner.id")),
    _make_key("key", sa.String(255)),
    _make_required("fingerprint", sa.String(64)),
    _make_required("evaluation_id", sa.Uuid(), _make_evaluation_key(), index=True),
    _make_required("created_at", Instant()),
)

# An address to which a message is sent when an evaluation of the owner ends or a series is decided.
WEBHOOK = sa.Table(
    "webhook",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("owner_id", sa.Uuid(), sa.ForeignKey("owner.id"), index=True),
    _make_required("url", sa.String(2000)),
    _make_required("event_types", sa.JSON()),
    _make_required("secret", sa.String(100)),  # not a digest, because it signs deliveries
    sa.Column("description", sa.String(200)),
    _make_required("created_at", Instant()),
    sa.Column("disabled_at", Instant()),  # when the receiver answered 410 (gone)
    sa.Column(
        "labels", sa.JSON(none_as_null=True)
    ),  # only evaluations with all of these; NULL: any
    sa.Column("previous_secret", sa.String(100)),  # also signs, until previous_secret_until
    sa.Column("previous_secret_until", Instant()),
)

# One message to a webhook, written in the transaction that makes the event.
WEBHOOK_DELIVERY = sa.Table(
    "webhook_delivery",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("webhook_id", sa.Uuid(), sa.ForeignKey("webhook.id", ondelete="CASCADE")),
    # Id of an evaluation, or of a series; it may be deleted first.
    _make_required("evaluation_id", sa.Uuid()),
    _make_required("event_type", sa.String(40)),
    _make_required("body", sa.Text()),  # JSON text that is signed and sent
    _make_required("state", sa.String(16)),
    _make_required("attempts", sa.Integer()),
    # Epoch seconds; a claim sets it to the time at which the claim expires.
    _make_required("next_attempt_at", sa.Double()),
    _make_required("created_at", Instant()),
    sa.Column("last_attempt_at", Instant()),
    sa.Column("last_status", sa.Integer()),  # HTTP status of the last answer; NULL without one
    sa.Column("last_error", sa.String(400)),
    sa.Index(
        "ix_webhook_delivery_state_webhook_id_next_attempt_at",
        "state",
        "webhook_id",
        "next_attempt_at",
    ),
    sa.Index("ix_webhook_delivery_webhook_id_created_at_id", "webhook_id", "created_at", "id"),
    sa.CheckConstraint("state IN ('pending','delivered','dead')", name="state"),
)

# A worker process and the time of its last heartbeat.
WORKER = sa.Table(
    "worker",
    METADATA,
    _make_key("id", sa.Uuid()),
    _make_required("node", sa.Uuid(), index=True),  # id of the command that started it
    _make_required("host", sa.String(255)),
    _make_required("pid", sa.Integer()),
    _make_required("version", sa.String(24)),
    _make_required("started_at", Instant()),
    _make_required("heartbeat_at", sa.Double()),  # epoch seconds by the database's clock
    sa.Column("prepared_at", Instant()),  # NULL until packages and loops are loaded
)

# A duty that one process at a time has, such as sweeping.
LEASE = sa.Table(
    "lease",
    METADATA,
    _make_key("name", sa.String(40)),
    sa.Column("holder", sa.Uuid()),
    _make_required("until", sa.Double()),  # epoch seconds by the database's clock
)

# The one file store of this database; the store has the same id in a file.
FILE_STORE = sa.Table(
    "file_store",
    METADATA,
    _make_key("name", sa.String(40)),
    _make_required("id", sa.Uuid()),
    _make_required("created_at", Instant()),
)

# Totals of all processes, for /metrics.
COUNTER = sa.Table(
    "counter",
    METADATA,
    _make_key("name", sa.String(80)),
    _make_key("labels", sa.String(400)),  # JSON, its keys in alphabetic order
    _make_required("value", sa.Double()),
)
