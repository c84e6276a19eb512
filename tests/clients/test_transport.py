from __future__ import annotations

import gzip
import json
import random
import socket
from typing import Protocol

import pytest

from tests.clients.scripted_server import DATASET, DROP, EVALUATION, Reply, Stub, problem, run_stub
from thetahat_client import Client, ConnectionFailed, NotFound, Refused, ThetahatError
from thetahat_client.errors import ServiceFault, TooManyRequests, Unauthorised, UnexpectedAnswer

REQUEST = {"kind": "losses", "losses": {"a": [[1, 0], [0, 1]]}}
TAKEN = Reply(202, EVALUATION)
BUSY = problem(503, "unavailable")
HTML = Reply(502, b"<html>", {"Content-Type": "text/html"})


class Naps(list[float]):
    """Replaces ``time.sleep`` and keeps the lengths of the pauses."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


class Connect(Protocol):
    """Opens a client of a stub."""

    def __call__(self, stub: Stub, naps: Naps | None = None, retries: int = 5) -> Client: ...


@pytest.fixture
def make_client(open_client: type[Client]) -> Connect:
    def make(stub: Stub, naps: Naps | None = None, retries: int = 5) -> Client:
        return open_client(stub.url, sleep=Naps() if naps is None else naps, retries=retries)

    return make


@pytest.mark.parametrize("first", [DROP, BUSY, problem(429, "too_many_jobs"), HTML])
def test_exact_a_submission_is_sent_again_with_the_same_key_and_body(
    make_client: Connect, first: Reply
) -> None:
    with run_stub(first, first, TAKEN) as stub, make_client(stub) as client:
        sent = client.submit(REQUEST)

    assert sent.id == EVALUATION["id"]
    assert len(stub.requests) == 3
    keys = {request.headers["idempotency-key"] for request in stub.requests}
    assert len(keys) == 1
    assert len(keys.pop()) == 36
    assert {request.body for request in stub.requests} == {stub.requests[0].body}


def test_exact_two_submissions_have_two_keys_unless_the_caller_says(make_client: Connect) -> None:
    with run_stub(TAKEN) as stub, make_client(stub) as client:
        client.submit(REQUEST)
        client.submit(REQUEST)
        client.submit(REQUEST, idempotency_key="mine")

    keys = [request.headers["idempotency-key"] for request in stub.requests]
    assert len(set(keys)) == 3
    assert keys[2] == "mine"


def test_exact_retry_after_is_kept(make_client: Connect) -> None:
    naps = Naps()
    first = problem(429, "too_many_jobs", retry_after=7)
    with run_stub(first, TAKEN) as stub, make_client(stub, naps) as client:
        client.submit(REQUEST)

    assert naps == [7.0]


def test_exact_retry_after_may_be_a_date(make_client: Connect) -> None:
    naps = Naps()
    first = problem(503, "unavailable", retry_after="Wed, 21 Oct 2015 07:28:00 GMT")
    with run_stub(first, TAKEN) as stub, make_client(stub, naps) as client:
        client.submit(REQUEST)

    assert 0.125 <= naps[0] <= 0.25  # the date is past: the usual pause


def test_exact_a_pause_too_long_is_the_callers_to_take(make_client: Connect) -> None:
    first = problem(429, "too_many_jobs", retry_after=3600)
    with run_stub(first) as stub, make_client(stub) as client:
        with pytest.raises(TooManyRequests) as refused:
            client.submit(REQUEST)

        assert refused.value.retry_after == 3600
        assert len(stub.requests) == 1


def test_exact_pauses_double_and_vary(make_client: Connect) -> None:
    naps = Naps()
    with (
        run_stub(BUSY) as stub,
        make_client(stub, naps, retries=8) as client,
        pytest.raises(ServiceFault),
    ):
        client.get("x")

    longest = [0.25, 0.5, 1, 2, 4, 8, 15, 15]
    assert len(naps) == len(longest)
    assert all(half / 2 <= nap <= half for nap, half in zip(naps, longest, strict=True))
    assert len({nap / half for nap, half in zip(naps, longest, strict=True)}) > 4


@pytest.mark.parametrize(
    ("last", "kind"),
    [(BUSY, ServiceFault), (problem(429, "too_many_jobs"), TooManyRequests), (HTML, ServiceFault)],
)
def test_exact_after_the_last_attempt_it_is_raised(
    make_client: Connect, last: Reply, kind: type[Refused]
) -> None:
    with (
        run_stub(last) as stub,
        make_client(stub, retries=2) as client,
        pytest.raises(kind) as raised,
    ):
        client.get("x")

    assert len(stub.requests) == 3
    assert raised.value.status == last.status
    assert raised.value.attempts == 3


def test_exact_a_service_that_is_not_there_is_named(open_client: type[Client]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    naps = Naps()
    with (
        open_client(url, retries=2, sleep=naps) as client,
        pytest.raises(
            ConnectionFailed, match=rf"The service at {url} does not answer \(.*; 3 attempts\)"
        ),
    ):
        client.get("x")

    assert len(naps) == 2


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (problem(400, "malformed_request"), Refused),
        (problem(401, "unauthorised"), Unauthorised),
        (problem(404, "not_found"), NotFound),
        (problem(409, "dataset_in_use"), Refused),
        (problem(422, "invalid_request"), Refused),
        (problem(500, "internal_error"), ServiceFault),
    ],
)
def test_exact_what_another_attempt_would_not_change_is_not_tried(
    make_client: Connect, reply: Reply, kind: type[Refused]
) -> None:
    with run_stub(reply) as stub, make_client(stub) as client, pytest.raises(kind) as raised:
        client.submit(REQUEST)

    assert type(raised.value) is kind
    assert isinstance(raised.value, ThetahatError)
    assert len(stub.requests) == 1


def test_exact_a_race_with_our_own_first_attempt_is_waited_for(make_client: Connect) -> None:
    race = problem(409, "idempotency_race")
    with run_stub(DROP, race, TAKEN) as stub, make_client(stub) as client:
        assert client.submit(REQUEST).id == EVALUATION["id"]

    assert len(stub.requests) == 3


@pytest.mark.parametrize("status", [200, 404])
def test_invalid_answers_of_another_program_are_recognised(
    make_client: Connect, status: int
) -> None:
    page = Reply(status, b"<html>", {"Content-Type": "text/html"})
    with (
        run_stub(page) as stub,
        make_client(stub) as client,
        pytest.raises(UnexpectedAnswer, match=rf"answered {status} with text/html"),
    ):
        client.get("x")


def test_exact_a_delete_that_was_cut_off_may_find_nothing_the_second_time(
    make_client: Connect,
) -> None:
    gone = problem(404, "not_found")
    with run_stub(DROP, gone) as stub, make_client(stub) as client:
        client.delete("x")
    with run_stub(gone) as stub, make_client(stub) as client, pytest.raises(NotFound):
        client.delete("x")


@pytest.mark.parametrize("key", ["th_secret", None])
def test_exact_the_key_is_sent_where_there_is_one(
    open_client: type[Client], key: str | None
) -> None:
    with run_stub(Reply(200, DATASET)) as stub, open_client(stub.url, key) as client:
        client.dataset("x")

    assert stub.requests[0].headers.get("authorization") == (f"Bearer {key}" if key else None)


def test_exact_a_proxy_is_not_asked_for_this_machine(
    make_client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with run_stub(Reply(200, DATASET)) as stub, make_client(stub, retries=0) as client:
        assert client.dataset("x").rows == 1


def test_exact_readiness_is_asked_once(make_client: Connect) -> None:
    with run_stub(Reply(503, {"status": "not ready"})) as stub, make_client(stub) as client:
        assert not client.ready()
    assert len(stub.requests) == 1
    with run_stub(Reply(200, {"status": "ready"})) as stub, make_client(stub) as client:
        assert client.ready()


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        (Reply(200, {"status": "ready"}), "ready"),
        (Reply(503, {"status": "warming"}), "warming"),
        (Reply(503, {"status": "not ready"}), "not ready"),
        (Reply(503, {"status": "a state of a later release"}), "not ready"),
        (Reply(503, b"<p>The proxy has no service.</p>", {"Content-Type": "text/html"}), "down"),
        (Reply(404, {"message": "another service"}), "down"),
    ],
)
def test_exact_a_warming_service_is_neither_ready_nor_down(
    make_client: Connect, reply: Reply, state: str
) -> None:
    with run_stub(reply) as stub, make_client(stub) as client:
        assert client.state() == state
    with run_stub(reply) as stub, make_client(stub) as client:
        assert client.ready() == (state == "ready")


def test_invalid_addresses_are_not_tried_again(open_client: type[Client]) -> None:
    naps = Naps()
    with open_client("ftp://127.0.0.1", sleep=naps) as client, pytest.raises(ConnectionFailed):
        client.get("x")

    assert naps == []


def test_exact_a_large_submission_is_compressed(make_client: Connect) -> None:
    rng = random.Random(20_261_123)
    losses = {"a": [[round(rng.random(), 6) for _ in range(5_000)] for _ in range(4)]}
    request = {"kind": "losses", "losses": losses}
    with run_stub(BUSY, TAKEN) as stub, make_client(stub) as client:
        client.submit(request)

    for sent in stub.requests:  # the further attempt, too
        assert sent.headers["content-encoding"] == "gzip"
        assert json.loads(gzip.decompress(sent.body)) == request
        assert len(sent.body) < len(json.dumps(request)) / 2


@pytest.mark.parametrize(
    "request_body",
    [REQUEST, {"kind": "losses", "losses": {"a": [[0] * 300_000]}}],
    ids=["small", "of one value"],
)
def test_exact_what_the_service_may_refuse_is_not_compressed(
    make_client: Connect, request_body: dict[str, object]
) -> None:
    with run_stub(TAKEN) as stub, make_client(stub) as client:
        client.submit(request_body)

    assert "content-encoding" not in stub.requests[0].headers
    assert json.loads(stub.requests[0].body) == request_body
