from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.service.api.html_page import HtmlPage
from tests.service.api.requests import matrix
from thetahat_service.api import rate_limits
from thetahat_service.process.request_context import Scope
from thetahat_service.storage import api_keys
from thetahat_service.storage.tables import API_KEY, SESSION
from thetahat_service.storage.unit_of_work import reading, unit_of_work

HTML = {"Accept": "text/html,*/*;q=0.8"}


def make_key(scope: Scope = Scope.SUBMIT, owner: str = "ann", **options: Any) -> str:
    with unit_of_work() as connection:
        return api_keys.create(connection, "test", owner, scope, **options)


def log_in(client: TestClient, key: str, path: str = "/") -> httpx2.Response:
    page = HtmlPage(client.get("/log-in", params={"next": path}, headers=HTML).text)
    page.check()
    values = page.form("/log-in").filled(key=key)
    return client.post("/log-in", data=values, headers=HTML, follow_redirects=False)


def test_exact_a_page_asks_for_a_key_and_then_opens(client: TestClient) -> None:
    key = make_key()

    response = client.get("/?kind=losses", headers=HTML, follow_redirects=False)
    answer = log_in(client, key, "/?kind=losses")
    page = client.get("/", headers=HTML, follow_redirects=False)

    assert response.status_code == 303
    assert response.headers["location"] == "/log-in?next=%2F%3Fkind%3Dlosses"
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?kind=losses"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "max-age=43200" in cookie
    assert key.lower() not in cookie
    assert page.status_code == 200
    assert f"Key {key[:11]} (submit)" in HtmlPage(page.text).text


def test_exact_the_token_of_a_session_is_not_stored(client: TestClient) -> None:
    log_in(client, make_key())

    with reading() as connection:
        (row,) = connection.execute(sa.select(SESSION.c.digest, SESSION.c.expires_at)).all()

    assert client.cookies["thetahat_session"] not in row.digest
    left = row.expires_at - datetime.now(UTC)
    assert timedelta(hours=11.9) < left <= timedelta(hours=12)


def test_exact_a_session_reads_the_interface_and_does_not_write_to_it(client: TestClient) -> None:
    log_in(client, make_key())

    assert client.get("/v1/evaluations").status_code == 200
    assert client.post("/v1/evaluations", json=matrix()).status_code == 401


@pytest.mark.parametrize("key", ["", "th_nonsense", "th_01234567_" + "a" * 43])
def test_invalid_a_wrong_key_is_refused_after_a_delay(
    key: str, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_key()
    counted: list[str] = []

    def count(_: rate_limits.WrongKeys, address: str) -> float:
        counted.append(address)
        return 0.0

    monkeypatch.setattr(rate_limits.WrongKeys, "count", count)

    answer = log_in(client, key)

    assert answer.status_code == 401
    assert "This key is not valid" in HtmlPage(answer.text).text
    assert "thetahat_session" not in client.cookies
    assert counted == ["127.0.0.1"]


def test_invalid_key_for_metrics_opens_no_page(client: TestClient) -> None:
    answer = log_in(client, make_key(Scope.METRICS))

    assert answer.status_code == 401
    assert "cannot open pages" in HtmlPage(answer.text).text


def test_exact_a_reader_sees_no_forms_that_change_something(client: TestClient) -> None:
    identifier = client.post(
        "/v1/evaluations", json=matrix(), headers={"Authorization": f"Bearer {make_key()}"}
    ).json()["id"]
    log_in(client, make_key(Scope.READ))
    path = f"/evaluations/{identifier}"

    page = HtmlPage(client.get(path, headers=HTML).text)
    token = page.form("/log-out").filled()["form_token"]
    refused = client.post(f"{path}/cancel", data={"form_token": token}, headers=HTML)

    assert not [form for form in page.forms if form.action.startswith("/evaluations")]
    assert refused.status_code == 403
    assert "scope read" in HtmlPage(refused.text).text


def test_exact_log_out_ends_the_session_for_good(client: TestClient) -> None:
    log_in(client, make_key())
    token = client.cookies["thetahat_session"]
    page = HtmlPage(client.get("/", headers=HTML).text)

    answer = client.post(
        "/log-out", data=page.form("/log-out").filled(), headers=HTML, follow_redirects=False
    )

    assert answer.headers["location"] == "/log-in"
    client.cookies.set("thetahat_session", token)
    assert client.get("/v1/evaluations").status_code == 401


@pytest.mark.parametrize("end", ["revoked", "expired", "session over"])
def test_exact_a_session_ends_with_its_key_and_its_time(client: TestClient, end: str) -> None:
    key = make_key()
    log_in(client, key)
    past = datetime.now(UTC) - timedelta(seconds=1)
    with unit_of_work() as connection:
        if end == "revoked":
            api_keys.revoke(connection, key[:11])
        elif end == "expired":
            connection.execute(sa.update(API_KEY).values(expires_at=past))
        else:
            connection.execute(sa.update(SESSION).values(expires_at=past))

    answer = client.get("/", headers=HTML, follow_redirects=False)

    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/log-in")


@pytest.mark.parametrize("path", ["//evil.example", "https://evil.example", "/\\evil", "x"])
def test_invalid_next_page_is_never_another_host(client: TestClient, path: str) -> None:
    assert log_in(client, make_key(), path).headers["location"] == "/"


def test_exact_a_log_in_is_audited(client: TestClient) -> None:
    key = make_key(Scope.ADMIN)
    log_in(client, key)

    (entry,) = [
        entry for entry in client.get("/v1/audit").json()["items"] if "session" in entry["action"]
    ]

    assert entry["action"] == "session.log_in"
    assert entry["actor"] == entry["subject"] == key[:11]
    assert entry["request_id"]


def test_invalid_log_in_without_its_token(client: TestClient) -> None:
    answer = client.post("/log-in", data={"key": make_key()}, headers=HTML)

    assert answer.status_code == 403
    assert "thetahat_session" not in client.cookies


def list_refusals(client: TestClient) -> list[tuple[str, str]]:
    items = client.get("/v1/audit").json()["items"]
    return [(e["action"], e["subject"]) for e in items if e["action"].endswith(".refuse")]


def test_exact_a_wrong_key_and_a_failed_log_in_are_audited(application: FastAPI) -> None:
    # An address of its own: the application outlives a test, and another one may have sent such a
    # key less than a minute ago.
    client = TestClient(application, base_url="http://localhost", client=("127.0.0.7", 50_000))
    admin = make_key(Scope.ADMIN)
    wrong = f"{admin[:-1]}{'A' if admin[-1] != 'A' else 'B'}"
    for _ in range(3):
        assert client.get("/v1/methods", headers={"X-API-Key": wrong}).status_code == 401
    client.get("/v1/methods", headers={"X-API-Key": "th_not a key, but somebody's secret"})
    log_in(client, wrong)
    log_in(client, admin)

    entries = list_refusals(client)

    # The same wrong key of the same address is written once in a minute, without its secret part.
    assert sorted(entries) == [
        ("key.refuse", "not a key of this service"),
        ("key.refuse", admin[:11]),
        ("session.refuse", admin[:11]),
    ]
