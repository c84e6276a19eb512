"""The pages and the interface behind a proxy that speaks TLS."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn

from tests.service.api.html_page import HtmlPage
from tests.service.storage.databases import Setting, empty_sqlite, setting
from tests.service.supervisor.https_proxy import https_proxy, write_certificate
from thetahat_service.api.app import create_app
from thetahat_service.process.request_context import Scope
from thetahat_service.storage import api_keys, schema
from thetahat_service.storage.unit_of_work import unit_of_work
from thetahat_service.supervisor.api_process import build_server_config

__all__ = ["empty_sqlite", "setting"]

HTML = {"Accept": "text/html"}
TRUSTED, OTHER = "127.0.0.2", "127.0.0.3"


@pytest.fixture
def port(empty_sqlite: None, setting: Setting) -> Iterator[int]:
    """The port of a service that believes one proxy."""
    setting(trusted_proxies=TRUSTED)
    schema.upgrade()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        server = uvicorn.Server(build_server_config(create_app()))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def browser(port: int, source: str, folder: Path) -> Iterator[httpx.Client]:
    """Return a client that keeps cookies as browsers do, of a proxy with that address."""
    certificate = write_certificate(folder)
    with ExitStack() as stack:
        url = stack.enter_context(https_proxy(port, source, certificate))
        context = ssl.create_default_context(cafile=str(certificate))
        yield stack.enter_context(
            httpx.Client(base_url=url, verify=context, headers=HTML, trust_env=False, timeout=60)
        )


def make_key() -> str:
    with unit_of_work() as connection:
        return api_keys.create(connection, "test", "ann", Scope.SUBMIT)


def log_in(client: httpx.Client, origin: str) -> httpx.Response:
    form = HtmlPage(client.get("/log-in").text).form("/log-in")
    return client.post("/log-in", data=form.filled(key=make_key()), headers={"Origin": origin})


def test_exact_cookies_of_a_log_in_over_https_are_for_https_alone(
    port: int, tmp_path: Path
) -> None:
    with browser(port, TRUSTED, tmp_path) as client:
        origin = str(client.base_url).rstrip("/")
        answer = log_in(client, origin)
        assert answer.status_code == 303
        assert answer.headers["location"] == "/"
        for cookie in client.cookies.jar:
            assert cookie.secure, cookie
            assert cookie.has_nonstandard_attr("HttpOnly"), cookie
            assert cookie.get_nonstandard_attr("SameSite") == "lax"
        assert {c.name for c in client.cookies.jar} == {"thetahat_form", "thetahat_session"}

        page = HtmlPage(client.get("/").text)
        left = client.post(
            "/log-out", data=page.form("/log-out").filled(), headers={"Origin": origin}
        )

        assert left.status_code == 303
        assert client.get("/").headers.get("location", "").startswith("/log-in")


def test_invalid_form_of_another_site_is_refused_behind_the_proxy(
    port: int, tmp_path: Path
) -> None:
    with browser(port, TRUSTED, tmp_path) as client:
        log_in(client, str(client.base_url).rstrip("/"))
        forged = client.post(
            "/log-out", data={"form_token": "x"}, headers={"Origin": "https://evil.example"}
        )
        forged_json = client.post(
            "/v1/evaluations", json={}, headers={"Origin": "https://evil.example"}
        )

        assert forged.status_code == 403
        assert forged_json.status_code == 401  # a session changes nothing outside of the pages
        assert client.get("/").status_code == 200


def test_invalid_without_a_key_a_client_elsewhere_is_refused(port: int, tmp_path: Path) -> None:
    """The request comes from loopback, and the proxy says that its client does not."""
    with browser(port, TRUSTED, tmp_path) as client:
        assert client.get("/v1/evaluations").status_code == 401
    assert httpx.get(f"http://127.0.0.1:{port}/v1/evaluations").status_code == 200


def test_exact_headers_of_an_address_that_is_no_proxy_are_not_believed(
    port: int, tmp_path: Path
) -> None:
    with browser(port, OTHER, tmp_path) as client:
        client.get("/log-in")
        assert [cookie.secure for cookie in client.cookies.jar] == [False]
