"""The digests that identify a request and its data, and the seed that follows from them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from thetahat.seeds import derive_seed
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.schemas.base import EvaluationRequest


@dataclass(frozen=True, slots=True)
class RequestDigests:
    """The canonical text of a request, its digests and its seed."""

    canonical: str
    """The request as JSON, without its name, labels and seed. It keeps the order of its mappings,
    because comparisons are of an earlier model against a later one."""
    request_sha256: str
    """Digest of ``canonical``."""
    data_sha256: str
    """Digest of the data sets, or of the request, but for ``include``, where it holds the data."""
    seed: int
    """The request's seed, or one that is derived from both digests."""


def compute_digests(
    request: EvaluationRequest, datasets: Mapping[UUID, DatasetFile]
) -> RequestDigests:
    """Return the digests and the seed of a checked request."""
    body = request.build_canonical()
    canonical = encode_json(body)
    request_sha256 = hashlib.sha256(canonical.encode()).hexdigest()
    numbers_sha256 = request_sha256
    if body.pop("include", None) is not None:  # which parts are written changes no number
        numbers_sha256 = hashlib.sha256(encode_json(body).encode()).hexdigest()
    data_sha256 = _compute_data_digest(numbers_sha256, datasets)
    seed = derive_seed(numbers_sha256, data_sha256) if request.seed is None else request.seed
    return RequestDigests(canonical, request_sha256, data_sha256, seed)


def _compute_data_digest(request_sha256: str, datasets: Mapping[UUID, DatasetFile]) -> str:
    """Return the digest of the request's data: of its files or, without files, of the request."""
    digests = sorted({file.sha256 for file in datasets.values()})
    if not digests:
        return request_sha256
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()
