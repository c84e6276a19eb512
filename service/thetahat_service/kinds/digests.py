"""The digests that identify a request and its data, and the seed that follows from them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, Final, NamedTuple
from uuid import UUID

import numpy as np
import orjson

from thetahat.seeds import derive_seed
from thetahat.values.json_values import LARGEST_EXACT, JsonValue
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.schemas.base import EvaluationRequest

_CHANGE_NO_NUMBER: Final = ("include", "protocol")
"""Fields of a request that say which parts are written, and which plan is followed."""


class RequestDigests(NamedTuple):
    """The canonical text of a request, its digests and its seed."""

    canonical: str
    """The request as JSON, without its name, labels and seed. It keeps the order of its mappings,
    because comparisons are of an earlier model against a later one."""
    request_sha256: str
    """Digest of ``canonical``."""
    data_sha256: str
    """Digest of the data: of the bytes of a file or, of data in the request, of their values. Of a
    request without data it is that of the request, but for ``include`` and ``protocol``."""
    seed: int
    """The request's seed, or one that is derived from digests."""
    has_values: bool
    """Whether the request holds values of rows."""


def compute_digests(
    request: EvaluationRequest, datasets: Mapping[UUID, DatasetFile]
) -> RequestDigests:
    """Return the digests and the seed of a checked request."""
    body = request.build_canonical()
    canonical = encode_json(body)
    request_sha256 = hashlib.sha256(canonical.encode()).hexdigest()
    numbers_sha256 = _digest_without_parts(body, request_sha256)
    files = sorted({file.sha256 for file in datasets.values()})
    inline = digest_inline_data(request, body)
    data_sha256 = _join_digests([*files, *([] if inline is None else [inline])])
    seed = request.seed
    if seed is None:
        seed = derive_seed(numbers_sha256, _join_digests(files) or numbers_sha256)
    return RequestDigests(
        canonical, request_sha256, data_sha256 or numbers_sha256, seed, inline is not None
    )


def compute_identity(request: EvaluationRequest, request_sha256: str, seed: int) -> str:
    """Return a digest that is equal for requests that ask for the same numbers with the same seed.

    ``request_sha256`` is the digest of the request.
    """
    numbers_sha256 = request_sha256
    if any(getattr(request, name, None) is not None for name in _CHANGE_NO_NUMBER):
        numbers_sha256 = _digest_without_parts(request.build_canonical(), request_sha256)
    return hashlib.sha256(f"{numbers_sha256}\n{seed}".encode()).hexdigest()


def _digest_without_parts(body: dict[str, JsonValue], request_sha256: str) -> str:
    """Return the digest of a canonical body without what changes no number, which it takes out."""
    if not [name for name in _CHANGE_NO_NUMBER if body.pop(name, None) is not None]:
        return request_sha256
    return hashlib.sha256(encode_json(body).encode()).hexdigest()


def digest_inline_data(
    request: EvaluationRequest, body: Mapping[str, JsonValue] | None = None
) -> str | None:
    """Return the digest of the values that a request holds; None where it holds none.

    The same values have the same digest in every request, whatever the order of models and however
    whole numbers are written. ``body`` is the canonical body, where it is there already.
    """
    body = request.build_canonical() if body is None else body
    data = {
        name: _normalise(body[name])
        for name in sorted(request.data_fields & body.keys())
        if body[name] is not None and not _names_dataset(body[name])
    }
    if not data:
        return None
    text = orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_SORT_KEYS)
    return hashlib.sha256(text).hexdigest()


def _names_dataset(value: JsonValue) -> bool:
    return isinstance(value, Mapping) and value.get("dataset") is not None


def _normalise(value: Any) -> Any:
    """Return a value in which whole numbers are integers, as far as floats have each of them."""
    if isinstance(value, Mapping):
        return {str(name): _normalise(entry) for name, entry in value.items()}
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_EXACT:
        return int(value)
    if not isinstance(value, list):
        return value
    kinds = {type(entry) for entry in value}
    if kinds <= {int, str, bool, NoneType}:
        return value
    if kinds == {float}:
        numbers = np.array(value)
        if not (numbers == np.floor(numbers)).any():
            return numbers
    return [_normalise(entry) for entry in value]


def _join_digests(digests: Sequence[str]) -> str:
    """Return one digest of several, that of one, or an empty text of none."""
    if len(digests) < 2:
        return "".join(digests)
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()
