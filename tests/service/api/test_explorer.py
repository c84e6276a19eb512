from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from thetahat_service.api.routes.explorer import MEDIA_TYPES


class Page(HTMLParser):
    """Which addresses a page names, and which scripts it holds itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = [value for name, value in attrs if name in {"src", "href"} and value]
        self.addresses += named
        self._in_script = tag == "script" and not named

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts.append(data)
            self._in_script = False


def test_exact_the_page_names_no_other_host(client: TestClient) -> None:
    text = client.get("/docs").text

    assert "//" not in text
    assert all(address.startswith("/") for address in Page(text).addresses)


def test_exact_all_that_the_page_asks_for_is_there(client: TestClient) -> None:
    types = {"js": "text/javascript", "css": "text/css", "png": "image/png"}
    page = Page(client.get("/docs").text)
    assets = [address for address in page.addresses if address.startswith("/docs/assets/")]

    assert len(assets) == 3
    for address in assets:
        answer = client.get(address)
        kind = address.split("?")[0].rsplit(".", 1)[1]
        assert answer.status_code == 200
        assert answer.headers["content-type"].split(";")[0] == types[kind]
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert re.search(r"\?v=\d+\.\d", address)
    (document,) = re.findall(r'url: "([^"]+)"', page.scripts[0])
    assert client.get(document).json()["openapi"]


def test_exact_the_files_are_those_of_swagger_ui(client: TestClient) -> None:
    assert "SwaggerUIBundle" in client.get("/docs/assets/swagger-ui-bundle.js").text
    assert ".swagger-ui" in client.get("/docs/assets/swagger-ui.css").text
    assert client.get("/docs/assets/favicon-32x32.png").content[:4] == b"\x89PNG"


def test_exact_the_policy_allows_this_host_and_the_one_script_of_the_page(
    client: TestClient,
) -> None:
    answer = client.get("/docs")
    (script,) = Page(answer.text).scripts
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = answer.headers["content-security-policy"].split("; ")
    policy = {name: values for name, *values in map(str.split, parts)}

    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == ["'self'", f"'sha256-{digest}'"]
    assert policy["style-src"] == policy["connect-src"] == ["'self'"]
    assert not re.search(r"https?:|\*", answer.headers["content-security-policy"])


@pytest.mark.parametrize(
    "path", ["/docs/assets/__init__.py", "/docs/assets/..%2Fmain.py", "/redoc", "/docs/"]
)
def test_invalid_nothing_else_is_served(client: TestClient, path: str) -> None:
    answer = client.get(path)

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("name", MEDIA_TYPES)
def test_invalid_an_asset_is_only_read(client: TestClient, name: str) -> None:
    answer = client.post(f"/docs/assets/{name}")

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
