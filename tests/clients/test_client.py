from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.clients.scripted_server import (
    DATASET,
    DROP,
    EVALUATION,
    Reply,
    evaluation,
    problem,
    run_stub,
)
from thetahat_client import (
    Client,
    ConnectionFailed,
    Evaluation,
    EvaluationFailed,
    Refused,
    ResultNotReady,
    WaitTimeout,
)

KEPT = Reply(201, DATASET)


Connect = Callable[[str], Client]


@pytest.fixture
def client_at(open_client: type[Client]) -> Connect:
    return lambda url: open_client(url, sleep=lambda _: None)


def test_exact_a_file_is_sent_whole_at_every_attempt(client_at: Connect, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"x\n" * 400_000)  # several pieces
    with run_stub(DROP, KEPT) as stub, client_at(stub.url) as client:
        dataset = client.upload(path)

    assert [request.body for request in stub.requests] == [path.read_bytes()] * 2
    assert stub.requests[1].headers["content-type"] == "text/csv"
    assert stub.requests[1].query == {"name": ["a.csv"]}
    assert (dataset.id, dataset.columns[0].type) == (DATASET["id"], "number")


def test_exact_an_open_file_is_sent_from_its_position(client_at: Connect) -> None:
    file = io.BytesIO(b"head,1\n")
    file.read(5)
    with run_stub(DROP, KEPT) as stub, client_at(stub.url) as client:
        client.upload(file, media_type="text/csv")

    assert [request.body for request in stub.requests] == [b"1\n", b"1\n"]


class Pipe(io.BytesIO):
    """A file that cannot be rewound."""

    def seekable(self) -> bool:
        return False


def test_exact_what_cannot_be_rewound_is_sent_once(client_at: Connect) -> None:
    pipe: BinaryIO = Pipe(b"1\n")
    with (
        run_stub(DROP, KEPT) as stub,
        client_at(stub.url) as client,
        pytest.raises(ConnectionFailed, match="1 attempt"),
    ):
        client.upload(pipe, media_type="text/csv")

    assert len(stub.requests) == 1


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.CSV", "text/csv"),
        ("a.parquet", "application/vnd.apache.parquet"),
        ("a.arrows", "application/vnd.apache.arrow.stream"),
        ("a.feather", "application/vnd.apache.arrow.stream"),
        ("a.ipc", "application/vnd.apache.arrow.stream"),
        ("a.npy", "application/x-npy"),
    ],
)
def test_exact_the_name_tells_the_type(client_at: Connect, name: str, media_type: str) -> None:
    with run_stub(KEPT) as stub, client_at(stub.url) as client:
        client.upload(b"1", name=name)

    assert stub.requests[0].headers["content-type"] == media_type


def test_invalid_sources_are_refused_before_anything_is_sent(
    client_at: Connect, tmp_path: Path
) -> None:
    with run_stub(KEPT) as stub, client_at(stub.url) as client:
        with pytest.raises(ValueError, match=r"media type of 'a\.docx' is unknown"):
            client.upload(b"1", name="a.docx")
        with pytest.raises(ValueError, match="media_type"):
            client.upload(b"1")
        with pytest.raises(FileNotFoundError, match="There is no file"):
            client.upload(tmp_path / "not-there.csv")
        with pytest.raises(ValueError, match="JSON"):
            client.submit({"kind": "losses", "level": float("nan")})
        with pytest.raises(ValueError, match="is not one of json, csv, parquet"):
            client.losses("x", "xlsx")  # type: ignore[call-overload]
        with pytest.raises(ValueError, match="is not one of svg, png, pdf"):
            client.figure("x", "one", "gif")  # type: ignore[arg-type]

    assert stub.requests == []


def test_exact_wait_prefers_and_takes_the_result(client_at: Connect) -> None:
    done = evaluation("succeeded", result={"models": {}})
    with run_stub(done) as stub, client_at(stub.url) as client:
        assert client.submit({"kind": "losses"}, wait=9.2).result == {"models": {}}
        client.submit({"kind": "losses"}, wait=500)
        client.submit({"kind": "losses"})

    prefer = [request.headers.get("prefer") for request in stub.requests]
    assert prefer == ["wait=10", "wait=60", None]


def test_exact_waiting_ends_with_the_evaluation_and_reports_each_change(client_at: Connect) -> None:
    half = {"done": 5, "total": 10, "unit": "splits"}
    seen: list[Evaluation] = []
    replies = (
        evaluation("queued", '"1"'),
        Reply(304, headers={"ETag": '"1"'}),
        evaluation("running", '"2"', progress=half),
        evaluation("failed", '"3"', error={"type": "/problems/learner_failed", "detail": "why"}),
    )
    with run_stub(*replies) as stub, client_at(stub.url) as client:
        ended = client.wait("x", progress=seen.append)

    assert [e.status for e in seen] == ["queued", "running", "failed"]
    assert seen[1].progress.share == 0.5
    assert ended.error is not None
    assert (ended.error.code, ended.error.detail) == ("learner_failed", "why")
    tags = [request.headers.get("if-none-match") for request in stub.requests]
    assert tags == [None, '"1"', '"1"', '"2"']
    assert ["wait" in request.query for request in stub.requests] == [False, True, True, True]


def test_exact_waiting_too_long_raises_and_leaves_the_evaluation(
    open_client: type[Client],
) -> None:
    with (
        run_stub(evaluation("running")) as stub,
        open_client(stub.url) as client,
        pytest.raises(WaitTimeout, match=r"is still running after 0.3 seconds") as late,
    ):
        client.wait("x", timeout=0.3)

    assert late.value.evaluation.status == "running"
    assert {request.method for request in stub.requests} == {"GET"}
    assert len(stub.requests) <= 5  # a service that answers at once is not polled in a tight loop


def test_exact_a_result_that_is_not_there_has_two_reasons(client_at: Connect) -> None:
    early = problem(409, "result_not_ready", retry_after=1)
    with (
        run_stub(early) as stub,
        client_at(stub.url) as client,
        pytest.raises(ResultNotReady) as waiting,
    ):
        client.result("x")
    assert waiting.value.retry_after == 1

    error = {"type": "/problems/learner_failed", "detail": "split 3 has one class"}
    never = problem(409, "no_result", evaluation_status="failed", evaluation_error=error)
    with (
        run_stub(never) as stub,
        client_at(stub.url) as client,
        pytest.raises(EvaluationFailed, match="x failed: split 3 has one class") as failed,
    ):
        client.result("x")
    assert failed.value.problem is not None
    assert failed.value.problem.code == "learner_failed"

    gone = problem(409, "no_result", evaluation_status="cancelled", evaluation_error=None)
    with (
        run_stub(gone) as stub,
        client_at(stub.url) as client,
        pytest.raises(EvaluationFailed, match=r"x was cancelled\.$"),
    ):
        client.losses("x")


def test_exact_figures_are_named_and_drawn(client_at: Connect) -> None:
    figure = {"name": "a/b", "title": "One", "links": {"svg": "s", "png": "p"}}
    with run_stub(Reply(200, {"items": [figure]})) as stub, client_at(stub.url) as client:
        assert client.figures("x") == [figure]
        assert stub.requests[-1].path == "/v1/evaluations/x/figures"
    with run_stub(Reply(200, b"<svg/>")) as stub, client_at(stub.url) as client:
        assert client.figure("x", "a/b") == b"<svg/>"
        client.figure("x", "one", "png")

    received = [(sent.path, sent.headers["accept"]) for sent in stub.requests]
    assert received == [
        ("/v1/evaluations/x/figures/a%2Fb.svg", "image/svg+xml"),
        ("/v1/evaluations/x/figures/one.png", "image/png"),
    ]


def test_exact_losses_come_in_three_types(client_at: Connect) -> None:
    with run_stub(Reply(200, b'{"a": [1]}')) as stub, client_at(stub.url) as client:
        assert dict(client.losses("x")) == {"a": [1]}
        assert client.losses("x", "csv") == '{"a": [1]}'
        assert client.losses("x", "parquet") == b'{"a": [1]}'

    accepted = [request.headers["accept"] for request in stub.requests]
    assert accepted == ["application/json", "text/csv", "application/vnd.apache.parquet"]


def test_exact_pages_are_followed_by_their_cursor_with_the_same_filters(client_at: Connect) -> None:
    def page(identifier: str, cursor: str | None) -> Reply:
        return Reply(200, {"items": [{**EVALUATION, "id": identifier}], "next": cursor})

    with (
        run_stub(page("a", "c1"), page("b", "c2"), page("c", None)) as stub,
        client_at(stub.url) as client,
    ):
        listed = list(
            client.evaluations(
                status="failed",
                labels={"team": "x", "run": "1:2"},
                created_after=datetime(2026, 1, 2, tzinfo=UTC),
                page_size=1,
            )
        )

    assert [e.id for e in listed] == ["a", "b", "c"]
    assert [request.query.pop("cursor", None) for request in stub.requests] == [
        None,
        ["c1"],
        ["c2"],
    ]
    assert stub.requests[0].query == stub.requests[2].query
    assert stub.requests[0].query == {
        "status": ["failed"],
        "label": ["team:x", "run:1:2"],
        "created_after": ["2026-01-02T00:00:00+00:00"],
        "limit": ["1"],
    }


def test_exact_unknown_fields_are_ignored_and_known_ones_typed(client_at: Connect) -> None:
    reply = evaluation("succeeded", finished_at="2026-11-21T05:04:34.0Z", later="new")
    reply.body["started_at"] = "2026-11-21T05:04:32.5Z"
    with run_stub(reply) as stub, client_at(stub.url) as client:
        returned = client.get("x")

    assert returned.created_at == datetime(2026, 11, 21, 5, 4, 32, 553629, tzinfo=UTC)
    assert returned.seconds == 1.5
    assert returned.is_finished
    assert returned.progress.share is None


def test_exact_a_refusal_says_where_and_what(client_at: Connect) -> None:
    errors = [
        {"loc": ["losses", "nb", 2], "message": "is NaN", "value": "NaN"},
        {"loc": ["level"], "message": "must be in (0, 1)", "value": 2},
    ]
    reply = problem(422, "invalid_request", "is NaN", errors=errors, request_id="r1")
    with run_stub(reply) as stub, client_at(stub.url) as client, pytest.raises(Refused) as refused:
        client.submit({"kind": "losses"})

    assert str(refused.value) == "losses.nb.2: is NaN\n  level: must be in (0, 1)"
    assert refused.value.type == "/problems/invalid_request"
    assert refused.value.status == 422
    assert [(f.loc, f.value) for f in refused.value.errors] == [
        (("losses", "nb", 2), "NaN"),
        (("level",), 2),
    ]
    assert refused.value.problem.request_id == "r1"
