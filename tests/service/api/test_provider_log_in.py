"""Logging in at an OpenID Connect provider, which the test runs itself."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest
from joserfc import jwt
from starlette.testclient import TestClient

from tests.servers.identity_provider import (
    CLIENT,
    SECRET,
    SHARED,
    IdentityProvider,
    make_key,
    make_rsa_key,
    run_identity_provider,
)
from tests.service.api.html_page import HtmlPage
from tests.service.api.requests import matrix
from tests.service.api.test_log_in import HTML, log_in
from tests.service.api.test_log_in import make_key as make_api_key
from tests.service.storage.databases import Setting
from thetahat_service.identity import people
from thetahat_service.identity import provider as provider_module
from thetahat_service.process.request_context import Scope
from thetahat_service.settings import InvalidSettings, get_settings
from thetahat_service.storage import audit
from thetahat_service.storage.unit_of_work import reading
from thetahat_service.supervisor import public_address
from thetahat_service.supervisor.errors import CannotStart
from thetahat_service.supervisor.public_address import require_keys, require_log_in_package

CALLBACK = "http://localhost/log-in/provider/callback"


@pytest.fixture
def provider(setting: Setting) -> Iterator[IdentityProvider]:
    with run_identity_provider(CALLBACK) as running:
        setting(
            oidc_issuer=running.issuer,
            oidc_client_id=CLIENT,
            oidc_client_secret=SECRET,
            oidc_redirect_url=CALLBACK,
            oidc_allowed_hosts=running.issuer,
            oidc_default_scope="read",
            oidc_role_claim="groups",
            oidc_roles="staff=submit, heads=admin",
        )
        yield running


def begin(client: TestClient, path: str = "/") -> httpx2.Response:
    page = HtmlPage(client.get("/log-in", params={"next": path}, headers=HTML).text)
    page.check()
    (link,) = [link for link in page.links if link.startswith("/log-in/provider")]
    return client.get(link, headers=HTML, follow_redirects=False)


def enter(client: TestClient, provider: IdentityProvider, path: str = "/") -> httpx2.Response:
    begun = begin(client, path)
    assert begun.status_code == 303, begun.text
    back = provider.authorize(begun.headers["location"])
    return client.get(back, headers=HTML, follow_redirects=False)


def list_audit() -> list[tuple[str, str, str]]:
    with reading() as connection:
        rows = audit.list_page(connection, None, 50)
    return [(row.action, row.actor, row.subject) for row in rows]


def read_refusal(answer: httpx2.Response, client: TestClient) -> str:
    """Return what the page of a refused log-in says; nobody is logged in after it."""
    assert answer.status_code == 401, answer.text
    assert "thetahat_session" not in client.cookies
    assert client.get("/", headers=HTML, follow_redirects=False).status_code == 303
    ((action, actor, subject), *_) = list_audit()
    assert (action, actor) == ("session.refuse", "address 127.0.0.1")
    text = HtmlPage(answer.text).text
    assert subject.removeprefix("log-in provider: ")[:60] in text
    return text


def test_exact_a_person_logs_in_sees_the_wanted_page_and_logs_out(
    client: TestClient, provider: IdentityProvider
) -> None:
    answer = enter(client, provider, "/?kind=losses")
    page = HtmlPage(client.get("/", headers=HTML, follow_redirects=False).text)
    out = client.post("/log-out", data=page.form("/log-out").filled(), follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (303, "/?kind=losses")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "sub 7f3a (read)" in page.text
    assert "Key" not in page.text
    assert out.status_code == 303
    assert client.get("/", headers=HTML, follow_redirects=False).status_code == 303
    assert list_audit() == [
        ("session.log_out", "sub 7f3a", "sub 7f3a"),
        ("session.log_in", "sub 7f3a", "7f3a"),
    ]


def test_exact_a_session_of_a_person_reads_the_interface_and_does_not_write_to_it(
    client: TestClient, provider: IdentityProvider
) -> None:
    provider.claims = {"groups": ["staff"]}
    enter(client, provider)

    assert client.get("/v1/evaluations").status_code == 200
    assert client.post("/v1/evaluations", json=matrix()).status_code == 401
    assert client.get("/v1/keys").status_code == 403


def test_exact_the_widest_scope_of_the_roles_counts(
    client: TestClient, provider: IdentityProvider, setting: Setting
) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "read"),
        ({"groups": ["other"]}, "read"),
        ({"groups": "staff"}, "submit"),
        ({"groups": ["staff", "heads"]}, "admin"),
        ({"groups": {"staff": True}}, "read"),
    ]
    for claims, scope in cases:
        provider.claims = claims
        client.cookies.clear()
        enter(client, provider)
        assert f"({scope})" in HtmlPage(client.get("/", headers=HTML).text).text
    setting(oidc_role_claim="realm_access.roles", oidc_default_scope="")
    provider.claims = {"realm_access": {"roles": ["heads"]}}
    enter(client, provider)
    assert "(admin)" in HtmlPage(client.get("/", headers=HTML).text).text
    client.cookies.clear()
    provider.claims = {"groups": ["heads"]}
    assert "None of this person's roles" in read_refusal(enter(client, provider), client)


def test_exact_owners_are_apart_and_can_be_shared_by_a_claim(
    client: TestClient, provider: IdentityProvider, setting: Setting
) -> None:
    issuer = provider.issuer.removeprefix("http://")
    key = make_api_key(Scope.SUBMIT, f"oidc:{issuer}:blue")
    header = {"Authorization": f"Bearer {key}"}
    sent = client.post("/v1/evaluations", json=matrix(), headers=header)
    identifier = sent.json()["id"]

    enter(client, provider)
    alone = client.get(f"/v1/evaluations/{identifier}").status_code
    setting(oidc_owner_claim="team")
    provider.claims = {"team": "blue"}
    enter(client, provider)
    shared = client.get(f"/v1/evaluations/{identifier}").status_code

    assert (sent.status_code, alone, shared) == (202, 404, 200)


def test_invalid_what_the_provider_must_not_send(
    client: TestClient, provider: IdentityProvider, setting: Setting
) -> None:
    now = int(time.time())
    cases: list[tuple[dict[str, Any], str]] = [
        ({"nonce": "another"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"aud": "another"}, "aud"),
        ({"aud": None}, "aud"),
        ({"aud": [CLIENT, "another"]}, "azp"),
        ({"azp": "another"}, "azp"),
        ({"iss": "https://another.example"}, "iss"),
        ({"iss": None}, "iss"),
        ({"exp": now - 120}, "expired"),
        ({"exp": None}, "exp"),
        ({"iat": None}, "iat"),
        ({"nbf": now + 600}, "not valid"),
        ({"sub": None}, "sub"),
        ({"sub": ""}, "sub"),
        ({"sub": 7}, "sub"),
        ({"at_hash": "AAAA"}, "at_hash"),
    ]
    for claims, word in cases:
        provider.claims = claims
        assert word in read_refusal(enter(client, provider), client)
    setting(oidc_owner_claim="email")
    addresses: list[tuple[dict[str, Any], str]] = [
        ({"email": "a@b.c"}, "verified"),
        ({"email_verified": True}, "'email'"),
    ]
    for claims, word in addresses:
        provider.claims = claims
        assert word in read_refusal(enter(client, provider), client)


def test_exact_a_clock_that_differs_by_less_than_a_minute_is_no_fault(
    client: TestClient, provider: IdentityProvider
) -> None:
    now = int(time.time())
    provider.claims = {"exp": now - 30, "iat": now + 30, "nbf": now + 30}

    assert enter(client, provider).status_code == 303


def test_invalid_signatures(client: TestClient, provider: IdentityProvider) -> None:
    def forge_none() -> None:
        provider.id_token = _join({"alg": "none"}, _claims(provider), "")

    def forge_shared_secret() -> None:
        provider.id_token = jwt.encode(
            {"alg": "HS256", "kid": "first"}, _claims(provider), SHARED, algorithms=["HS256"]
        )

    def forge_key() -> None:
        provider.signing = make_key("first")

    def name_unknown_key() -> None:
        provider.signing = make_key("unknown")

    def send_nonsense() -> None:
        provider.id_token = "nonsense"

    forgeries: list[Callable[[], None]] = [
        forge_none, forge_shared_secret, forge_key, name_unknown_key, send_nonsense
    ]  # fmt: skip
    for forge in forgeries:
        provider.id_token = provider.signing = None
        forge()
        assert "ID token is not valid" in read_refusal(enter(client, provider), client)


def _claims(provider: IdentityProvider) -> dict[str, Any]:
    now = int(time.time())
    return {"iss": provider.issuer, "aud": CLIENT, "sub": "x", "iat": now, "exp": now + 300}


def _join(header: dict[str, Any], claims: dict[str, Any], signature: str) -> str:
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
             for part in (header, claims)]  # fmt: skip
    return ".".join([*parts, signature])


def test_exact_keys_are_read_again_when_they_change_and_seldom_otherwise(
    client: TestClient, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count_readings() -> int:
        return [path for path, _ in provider.requests].count("/keys")

    enter(client, provider)
    enter(client, provider)
    assert count_readings() == 1
    provider.keys = [make_rsa_key("second")]
    provider.algorithm = "RS256"
    refused = enter(client, provider)  # a second after the last reading
    assert (refused.status_code, count_readings()) == (401, 1)
    monkeypatch.setattr(provider_module, "KEYS_PAUSE_S", 0.0)
    assert enter(client, provider).status_code == 303
    assert count_readings() == 2


def test_invalid_answers_that_this_browser_did_not_ask_for(
    client: TestClient, provider: IdentityProvider
) -> None:
    begun = begin(client)
    back = provider.authorize(begun.headers["location"])
    sent = dict(client.cookies)
    client.cookies.clear()  # another browser
    read_refusal(client.get(back, headers=HTML, follow_redirects=False), client)
    client.cookies.update(sent)
    code = parse_qs(urlsplit(back).query)["code"][0]
    for query in [{"code": code}, {"code": code, "state": "x"}, {"code": code, "state": "\u00e9"}]:
        client.cookies.update(sent)
        answer = client.get(f"{CALLBACK}?{urlencode(query)}", headers=HTML, follow_redirects=False)
        assert "another browser" in read_refusal(answer, client)
    assert "/token" not in [path for path, _ in provider.requests]


def test_invalid_a_code_counts_once_and_with_the_secret_of_its_attempt(
    client: TestClient, provider: IdentityProvider
) -> None:
    back = provider.authorize(begin(client).headers["location"])
    first = dict(client.cookies)
    code = parse_qs(urlsplit(back).query)["code"][0]
    second = parse_qs(urlsplit(begin(client).headers["location"]).query)["state"][0]
    query = urlencode({"code": code, "state": second})
    stolen = client.get(f"{CALLBACK}?{query}", headers=HTML, follow_redirects=False)
    assert "invalid_grant" in read_refusal(stolen, client)

    client.cookies.clear()
    client.cookies.update(first)
    again = client.get(back, headers=HTML, follow_redirects=False)
    assert "invalid_grant" in read_refusal(again, client)


def test_exact_what_the_provider_says_in_place_of_a_code(
    client: TestClient, provider: IdentityProvider
) -> None:
    cases = [("access_denied", "cancelled"), ("<script>alert(1)</script>", "the error")]
    for error, word in cases:
        state = parse_qs(urlsplit(begin(client).headers["location"]).query)["state"][0]
        query = urlencode({"error": error, "state": state, "error_description": "<b>secret</b>"})
        answer = client.get(f"{CALLBACK}?{query}", headers=HTML, follow_redirects=False)
        assert word in read_refusal(answer, client)
        assert "<script>" not in answer.text
        assert "<b>" not in answer.text


def test_exact_while_the_provider_is_down_keys_still_work(
    client: TestClient, provider: IdentityProvider
) -> None:
    key = make_api_key()
    provider.is_down = True
    answer = begin(client)

    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "10"
    text = HtmlPage(answer.text).text
    assert "cannot be used at the moment" in text
    assert "log in with an API key" in text
    assert log_in(client, key).status_code == 303
    assert client.get("/", headers=HTML, follow_redirects=False).status_code == 200
    client.cookies.clear()
    provider.is_down = False
    back = provider.authorize(begin(client).headers["location"])
    provider.is_down = True
    assert client.get(back, headers=HTML, follow_redirects=False).status_code == 503


def test_invalid_metadata_that_lead_elsewhere(
    client: TestClient, provider: IdentityProvider
) -> None:
    planted: list[dict[str, Any]] = [
        {"issuer": "https://another.example"},
        {"issuer": None},
        {"token_endpoint": None},
        {"token_endpoint": "http://169.254.169.254/latest/meta-data"},
        {"jwks_uri": "http://127.0.0.1:1/keys"},
        {"jwks_uri": "file:///etc/passwd"},
        {"authorization_endpoint": "javascript:alert(1)"},
    ]
    for metadata in planted:
        provider.metadata = metadata
        provider_module._make_provider.cache_clear()
        assert begin(client).status_code == 503


def test_invalid_a_name_that_leads_into_the_network_is_not_asked(
    client: TestClient, provider: IdentityProvider, setting: Setting
) -> None:
    setting(oidc_issuer="https://localhost/", oidc_allowed_hosts="")

    assert begin(client).status_code == 503
    assert provider.requests == []


def test_invalid_no_address_of_another_site_is_gone_on_to(
    client: TestClient, provider: IdentityProvider
) -> None:
    for path in ["https://evil.example/", "//evil.example", "/\\evil.example", "x"]:
        begun = client.get(
            "/log-in/provider", params={"next": path}, headers=HTML, follow_redirects=False
        )
        answer = client.get(
            provider.authorize(begun.headers["location"]), headers=HTML, follow_redirects=False
        )
        assert answer.headers["location"] == "/"


def test_exact_with_a_provider_nobody_is_answered_without_a_log_in(
    client: TestClient, provider: IdentityProvider, setting: Setting
) -> None:
    assert client.get("/v1/evaluations").status_code == 401
    require_keys("0.0.0.0")
    setting(oidc_issuer="")
    assert client.get("/v1/evaluations").status_code == 200


def test_invalid_a_provider_without_its_package(
    provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_log_in_package()
    monkeypatch.setattr(public_address, "find_spec", lambda _: None)

    with pytest.raises(CannotStart, match=r"pip install 'thetahat\[oidc\]'"):
        require_log_in_package()


def test_exact_sessions_end_with_their_provider(
    client: TestClient, provider: IdentityProvider, setting: Setting
) -> None:
    make_api_key()
    enter(client, provider)
    assert client.get("/", headers=HTML, follow_redirects=False).status_code == 200
    setting(oidc_issuer="")
    assert client.get("/", headers=HTML, follow_redirects=False).status_code == 303


def test_exact_without_a_provider_there_is_none(client: TestClient) -> None:
    page = client.get("/log-in", headers=HTML).text

    assert "provider" not in page
    for path in ["/log-in/provider", "/log-in/provider/callback?code=1&state=2"]:
        assert client.get(path, follow_redirects=False).status_code == 404


def test_exact_no_secret_is_on_pages_in_the_log_or_in_the_audit_log(
    client: TestClient, provider: IdentityProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="thetahat_service")
    begun = begin(client)
    back = provider.authorize(begun.headers["location"])
    code = parse_qs(urlsplit(back).query)["code"][0]
    provider.claims = {"aud": "another"}
    answer = client.get(back, headers=HTML, follow_redirects=False)
    verifier = provider.requests[-2][1].get("code_verifier", "") or provider.requests[-1][1].get(
        "code_verifier", ""
    )
    cookie = begun.cookies["thetahat_log_in"].partition(".")[0]

    assert verifier
    # The test's own client may log the address that it asks for, if another test has set its level.
    records = [each for each in caplog.records if each.name.startswith("thetahat_service")]
    shown = answer.text + str([each.getMessage() for each in records]) + str(list_audit())
    for secret in (SECRET, code, verifier, cookie, "eyJ"):
        assert secret not in shown
    for secret in (verifier, cookie):
        assert secret not in begun.headers["location"]


def test_exact_long_names_are_cut_without_a_collision(setting: Setting) -> None:
    issuer = "https://login.example.org/realms/research"
    names = {people.build_owner_name(issuer, f"{'a' * 200}{n}") for n in range(3)}

    assert {len(name) for name in names} == {120}
    assert len(names) == 3
    assert people.build_owner_name(issuer, "ann") == ("oidc:login.example.org/realms/research:ann")


def test_invalid_settings_with_which_nobody_could_log_in(setting: Setting) -> None:
    right = {
        "oidc_issuer": "https://login.example.org",
        "oidc_client_id": "thetahat",
        "oidc_redirect_url": "https://thetahat.example.org/log-in/provider/callback",
        "oidc_default_scope": "read",
    }
    setting(**right)
    assert get_settings().oidc_issuer == right["oidc_issuer"]
    wrong: list[tuple[dict[str, str], str]] = [
        ({"oidc_client_id": ""}, "THETAHAT_OIDC_CLIENT_ID"),
        ({"oidc_redirect_url": ""}, "THETAHAT_OIDC_REDIRECT_URL"),
        ({"oidc_redirect_url": "https://thetahat.example.org/"}, "/log-in/provider/callback"),
        ({"oidc_issuer": "http://login.example.org"}, "https://"),
        ({"oidc_issuer": "https://10.0.0.1"}, "not public"),
        ({"oidc_issuer": "https://login.example.org/?a=1"}, "query"),
        ({"oidc_default_scope": ""}, "nobody may enter"),
        ({"oidc_default_scope": "admin"}, "read, submit or empty"),
        ({"oidc_roles": "staff"}, "ROLE=read"),
        ({"oidc_roles": "staff=read,staff=admin"}, "twice"),
        ({"oidc_roles": "staff=metrics"}, "ROLE=read"),
        ({"oidc_scopes": "email"}, "openid"),
    ]
    for variables, word in wrong:
        setting(**{**right, **variables})
        with pytest.raises(InvalidSettings, match=word):
            get_settings()
