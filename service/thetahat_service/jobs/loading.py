"""Reading the request, data sets and provenance of an evaluation for the work on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import orjson
import sqlalchemy as sa
from pydantic import ValidationError

import thetahat
from thetahat_service.errors import Unavailable
from thetahat_service.jobs.stored_datasets import build_dataset_file
from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.base import DatasetFile, Finished, Job, JobKind
from thetahat_service.kinds.digests import compute_identity
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.result_json import encode_result
from thetahat_service.storage import datasets, protocols
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.tables import EVALUATION

if TYPE_CHECKING:
    from thetahat_service.protocols.following import FollowedProtocol

_E = EVALUATION.c
_GET = sa.select(
    _E.owner_id, _E.kind, _E.request, _E.seed, _E.data_sha256, _E.request_sha256, _E.protocol
).where(_E.id == sa.bindparam("wanted"))


@dataclass(frozen=True, slots=True)
class Loaded:
    """A job with its kind, its owner and the provenance of its result."""

    kind: JobKind[Any]
    job: Job[Any]
    provenance: Provenance
    owner_id: UUID
    protocol: FollowedProtocol | None

    def encode(self, finished: Finished) -> dict[str, Any]:
        """Return a result as clients read it, with how it follows its protocol."""
        body = encode_result(finished, self.provenance)
        return body if self.protocol is None else self.protocol.finish(self.job.request, body)

    def encode_partial(self, finished: Finished) -> dict[str, Any]:
        """Return a partial result as clients read it."""
        body = encode_result(finished, self.provenance)
        return body if self.protocol is None else self.protocol.finish_partly(body)

    @property
    def identity_sha256(self) -> str:
        """Digest that requests for the same numbers share, whatever parts they include."""
        return compute_identity(self.job.request, self.provenance.spec_sha256, self.job.seed)


def load(connection: sa.Connection, evaluation_id: UUID, files: FileStore) -> Loaded:
    """Return the job of an evaluation.

    Raises ``Unavailable`` for a request that only another release can read: during an upgrade a
    worker of the previous release leaves it to those that follow it.
    """
    row = connection.execute(_GET, {"wanted": evaluation_id}).one()
    try:
        kind = JOB_KINDS[row.kind]
        # Validated like in the API process, from what the JSON parser returns.
        request = kind.request.model_validate({"kind": row.kind, **orjson.loads(row.request)})
    except (KeyError, ValidationError) as error:
        raise Unavailable(
            "Another release of the service has accepted this request, and release "
            f"{thetahat.__version__} cannot read it."
        ) from error
    names_data = bool(request.list_dataset_ids())
    rows = datasets.list_of_evaluation(connection, evaluation_id) if names_data else []
    used: dict[UUID, DatasetFile] = {each.id: build_dataset_file(each, files) for each in rows}
    return Loaded(
        kind,
        Job(
            id=evaluation_id,
            kind=row.kind,
            request=request,
            seed=row.seed,
            datasets=used,
        ),
        Provenance(
            version=thetahat.__version__,
            seed=row.seed,
            data_sha256=row.data_sha256,
            spec_sha256=row.request_sha256,
        ),
        row.owner_id,
        _read_protocol(connection, evaluation_id, row.protocol, used),
    )


def _read_protocol(
    connection: sa.Connection,
    evaluation_id: UUID,
    outcome: JsonObject | None,
    used: Mapping[UUID, DatasetFile],
) -> FollowedProtocol | None:
    """Return the protocol of an evaluation, which is not deleted while it is named."""
    if outcome is None:
        return None
    from thetahat_service.protocols.following import FollowedProtocol  # noqa: PLC0415 - few have one

    fixed = protocols.get_request_of_evaluation(connection, evaluation_id)
    files = sorted({file.sha256 for file in used.values()})
    return None if fixed is None else FollowedProtocol(outcome=outcome, fixed=fixed, files=files)
