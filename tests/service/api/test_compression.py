from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

import numpy as np
import pytest
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import CSV, JSON_TYPE, PARQUET, matrix
from tests.service.storage.databases import Setting
from thetahat_service.api.compression import SMALLEST, CompressionMiddleware, accepts_gzip
from thetahat_service.api.preferences import parse_known_etags

GZIP_BODY = {**JSON_TYPE, "Content-Encoding": "gzip"}


def large() -> dict[str, Any]:
    """Losses whose result is larger than what is sent uncompressed."""
    rng = np.random.default_rng(7)
    losses = {f"model {i}": rng.random((5, 40)).round(4).tolist() for i in range(4)}
    return {"kind": "losses", "blocks": "random", "losses": losses}


@pytest.fixture
def location(client: TestClient, worker: InlineWorker) -> str:
    answer = client.post("/v1/evaluations", json=large())
    worker.work()
    path: str = answer.headers["location"]
    return path


def get(client: TestClient, path: str, encoding: str | None, **headers: str) -> Any:
    """Return the answer to a request with this Accept-Encoding, or without the header."""
    client.headers.pop("accept-encoding", None)
    accepted = {} if encoding is None else {"Accept-Encoding": encoding}
    return client.get(path, headers={**accepted, **headers})


def wire_body(client: TestClient, path: str, **headers: str) -> bytes:
    """Return the bytes of a body as they are sent, before httpx unpacks them."""
    with client.stream("GET", path, headers=headers) as answer:
        return b"".join(answer.iter_raw())


def test_exact_a_large_result_is_sent_with_gzip(client: TestClient, location: str) -> None:
    plain = get(client, f"{location}/result", "identity")
    packed = get(client, f"{location}/result", "br, gzip;q=0.5")
    sent = wire_body(client, f"{location}/result", **{"Accept-Encoding": "gzip"})

    assert len(plain.content) > SMALLEST
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["content-length"] == str(len(sent))
    assert len(sent) < len(plain.content) / 3
    assert gzip.decompress(sent) == plain.content == packed.content
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["vary"]
        assert "Authorization" in answer.headers["vary"]


@pytest.mark.parametrize("accepted", [None, "", "identity", "gzip;q=0", "br", "gzip;q=0, *"])
def test_exact_nothing_is_compressed_for_clients_that_do_not_accept_it(
    client: TestClient, location: str, accepted: str | None
) -> None:
    answer = get(client, f"{location}/result", accepted)

    assert "content-encoding" not in answer.headers
    assert answer.json()["kind"] == "losses"


@pytest.mark.parametrize("accepted", ["gzip", "GZIP", "x-gzip", "*", "deflate, gzip;q=0.1"])
def test_exact_which_clients_accept_gzip(accepted: str) -> None:
    assert accepts_gzip(Headers({"accept-encoding": accepted}))


def test_exact_a_small_body_is_sent_as_it_is(client: TestClient, location: str) -> None:
    answer = get(client, location, "gzip")

    assert len(answer.content) < SMALLEST
    assert "content-encoding" not in answer.headers
    assert "Accept-Encoding" in answer.headers["vary"]


def test_exact_streamed_losses_are_compressed_and_parquet_is_not(
    client: TestClient, worker: InlineWorker
) -> None:
    rng = np.random.default_rng(8)
    body = {"kind": "losses", "blocks": "random", "losses": {"m": rng.random((3, 2000)).tolist()}}
    location = client.post("/v1/evaluations", json=body).headers["location"]
    worker.work()
    path = f"{location}/losses"
    for accept in ("application/json", CSV):
        plain = get(client, path, "identity", Accept=accept)
        packed = get(client, path, "gzip", Accept=accept)
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-length" not in packed.headers
        assert packed.content == plain.content
    assert "content-encoding" not in get(client, path, "gzip", Accept=PARQUET).headers


@pytest.mark.parametrize("path", ["/openapi.json", "/docs/assets/swagger-ui.css"])
def test_exact_scripts_and_documents_are_compressed(client: TestClient, path: str) -> None:
    assert get(client, path, "gzip").headers["content-encoding"] == "gzip"


@pytest.mark.parametrize(
    ("media_type", "encoding"),
    [
        ("application/json", "gzip"),
        ("image/svg+xml", "gzip"),
        ("text/csv; charset=utf-8", "gzip"),
        ("text/html; charset=utf-8", None),
        ("text/event-stream", None),
        ("image/png", None),
        ("application/pdf", None),
        (PARQUET, None),
    ],
)
def test_exact_which_responses_are_compressed(media_type: str, encoding: str | None) -> None:
    answer = get(tagged(SMALLEST, media_type), "/", "gzip")

    assert answer.headers.get("content-encoding") == encoding
    assert ("Accept-Encoding" in answer.headers["vary"]) == (encoding is not None)
    assert answer.content == b" " * SMALLEST


def test_exact_a_stream_of_events_is_not_compressed(client: TestClient, location: str) -> None:
    answer = get(client, f"{location}/events", "gzip")

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "content-encoding" not in answer.headers


def tagged(size: int, media_type: str = "application/json") -> TestClient:
    """Return a client of an application that answers with ``size`` bytes and the tag "5"."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        headers = {"ETag": '"5"', "Vary": "Prefer"}
        known = parse_known_etags(Request(scope).headers)
        is_known = '"5"' in known
        body = b" " * size
        response = Response(
            None if is_known else body, 304 if is_known else 200, headers, media_type
        )
        await response(scope, receive, send)

    return TestClient(CompressionMiddleware(answer))


def test_exact_each_representation_has_its_own_entity_tag() -> None:
    client = tagged(SMALLEST)
    packed = get(client, "/", "gzip")
    plain = get(client, "/", "identity")

    assert (packed.headers["etag"], plain.headers["etag"]) == ('"5-gzip"', '"5"')
    for encoding, tag, expected in [
        ("gzip", '"5-gzip"', (304, '"5-gzip"')),
        ("gzip", 'W/"5-gzip"', (304, '"5-gzip"')),
        ("gzip", '"4-gzip", "5-gzip"', (304, '"5-gzip"')),
        ("gzip", '"5"', (304, '"5"')),
        ("identity", '"5"', (304, '"5"')),
        ("identity", '"5-gzip"', (200, '"5"')),
        ("gzip", '"15-gzip"', (200, '"5-gzip"')),
    ]:
        answer = get(client, "/", encoding, **{"If-None-Match": tag})
        assert (answer.status_code, answer.headers["etag"]) == expected, (encoding, tag)
        assert answer.headers["vary"] == "Prefer, Accept-Encoding"


def test_exact_no_tag_is_marked_below_the_limit() -> None:
    answer = get(tagged(SMALLEST - 1), "/", "gzip")

    assert answer.headers["etag"] == '"5"'
    assert "content-encoding" not in answer.headers


def submit(client: TestClient, content: bytes, **headers: str) -> Any:
    return client.post("/v1/evaluations", content=content, headers={**GZIP_BODY, **headers})


def test_exact_a_body_with_gzip_is_the_same_request(client: TestClient) -> None:
    body = json.dumps(matrix()).encode()
    key = {"Idempotency-Key": "the same"}
    half = len(body) // 2
    members = gzip.compress(body[:half]) + gzip.compress(body[half:])
    plain = client.post("/v1/evaluations", content=body, headers={**JSON_TYPE, **key})

    for packed in (gzip.compress(body), members):
        answer = submit(client, packed, **key)
        assert answer.status_code == 202
        assert answer.json()["id"] == plain.json()["id"]


def test_invalid_a_body_with_gzip_over_the_limit(client: TestClient, setting: Setting) -> None:
    setting(max_json_bytes=100_000)
    rng = np.random.default_rng(0)
    body = json.dumps({"kind": "losses", "losses": rng.random(20_000).tolist()}).encode()
    small_bomb = gzip.compress(b" " * 200_000)

    def pieces() -> Any:
        for i in range(0, len(small_bomb), 50):
            yield small_bomb[i : i + 50]

    answers: list[Any] = [
        submit(client, gzip.compress(body)),
        submit(client, small_bomb),
        client.post("/v1/evaluations", content=pieces(), headers=GZIP_BODY),
    ]

    for answer in answers:
        assert answer.status_code == 413
        assert "100000 bytes" in answer.json()["detail"]
    assert len(small_bomb) < 1000


def test_invalid_a_body_that_unpacks_to_too_many_times_its_size(
    client: TestClient, setting: Setting
) -> None:
    setting(max_expansion=100)
    answer = submit(client, gzip.compress(b" " * 4_000_000))

    assert answer.status_code == 413
    assert "THETAHAT_MAX_EXPANSION" in answer.json()["detail"]


def test_property_a_bomb_is_never_unpacked_beyond_the_limit(
    client: TestClient, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting(max_json_bytes=1_000_000, max_expansion=1_000_000)
    unpacked = []
    make = zlib.decompressobj

    class Counting:
        """A decompressor that counts what it returns."""

        def __init__(self, wbits: int) -> None:
            self._inner = make(wbits=wbits)

        def decompress(self, data: bytes, most: int = 0) -> bytes:
            unpacked.append(len(piece := self._inner.decompress(data, most)))
            return piece

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

    monkeypatch.setattr(zlib, "decompressobj", Counting)
    answer = submit(client, gzip.compress(b"0" * 100_000_000))

    assert answer.status_code == 413
    assert 1_000_000 <= sum(unpacked) <= 1_000_001


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        gzip.compress(b"{}", mtime=0)[:-4],
        gzip.compress(b"{}", mtime=0) + b"rest",
        zlib.compress(b"{}"),
    ],
    ids=["empty", "no gzip", "cut off", "rest", "zlib"],
)
def test_invalid_gzip(client: TestClient, content: bytes) -> None:
    answer = submit(client, content)

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request")
    assert "gzip" in answer.json()["detail"]


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "zstd"])
def test_invalid_content_encoding(client: TestClient, encoding: str) -> None:
    answer = client.post(
        "/v1/evaluations",
        content=json.dumps(matrix()),
        headers={**JSON_TYPE, "Content-Encoding": encoding},
    )

    assert answer.status_code == 415
    assert "gzip" in answer.json()["detail"]
