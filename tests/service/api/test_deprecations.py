from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from tests.architecture.sources import ROOT
from thetahat_service.api import deprecations
from thetahat_service.api.app import create_app
from thetahat_service.api.deprecations import Deprecation

SINCE = datetime(2026, 1, 1, tzinfo=UTC)
SUNSET = datetime(2027, 7, 1, tzinfo=UTC)
OLD = Deprecation(since=SINCE, sunset=SUNSET, successor="/v2/methods")


@pytest.fixture
def deprecated(data_dir: Any, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A client of an application with a deprecated operation."""
    entries = {("GET", "/v1/methods/{family_name}"): OLD}
    monkeypatch.setattr(deprecations, "DEPRECATIONS", entries)
    return TestClient(create_app(), base_url="http://localhost", client=("127.0.0.1", 50_000))


def test_exact_responses_of_a_deprecated_operation_have_its_header(deprecated: TestClient) -> None:
    for path, status in (("/v1/methods/learners", 200), ("/v1/methods/nothing", 404)):
        answer = deprecated.get(path)
        assert answer.status_code == status
        assert answer.headers["deprecation"] == f"@{int(SINCE.timestamp())}"
        assert parsedate_to_datetime(answer.headers["sunset"]) == SUNSET
        assert '</v2/methods>; rel="successor-version"' in answer.headers["link"]
        assert 'rel="deprecation"' in answer.headers["link"]
    others = [deprecated.get("/v1/methods"), deprecated.get("/v1/nothing")]
    assert all("deprecation" not in answer.headers for answer in others)


def test_exact_openapi_marks_the_operation(deprecated: TestClient) -> None:
    paths = deprecated.get("/openapi.json").json()["paths"]
    marked = [
        (method, path)
        for path, operations in paths.items()
        for method, operation in operations.items()
        if operation.get("deprecated")
    ]

    assert marked == [("get", "/v1/methods/{family_name}")]


def test_exact_nothing_is_deprecated_yet(client: TestClient) -> None:
    assert deprecations.DEPRECATIONS == {}
    assert "deprecation" not in client.get("/v1/methods/learners").headers


def test_invalid_a_short_notice() -> None:
    with pytest.raises(ValueError, match="180 days"):
        Deprecation(since=SINCE, sunset=SINCE + timedelta(days=179))


def test_invalid_an_operation_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deprecations, "DEPRECATIONS", {("GET", "/v1/nothing"): OLD})
    app = create_app()
    with pytest.raises(LookupError, match="/v1/nothing"):
        app.openapi()


def test_exact_the_code_on_the_page_notices_the_headers(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "versions.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    values: dict[str, Any] = {}
    exec(block, values)
    request = httpx.Request("GET", "http://localhost/v1/old")
    headers = dict(OLD.build_headers())
    values["warn_of_deprecation"](
        httpx.Response(200, headers=list(headers.items()), request=request)
    )
    values["warn_of_deprecation"](httpx.Response(200, request=request))
    values["client"].close()

    assert capsys.readouterr().out.splitlines() == [
        "http://localhost/v1/old ends on Thu, 01 Jul 2027 00:00:00 GMT"
    ]
    assert "Sunset: Thu, 01 Jul 2027 00:00:00 GMT" in text
    assert "Deprecation: @1767225600" in text
    assert OLD.build_headers()[0] == (b"deprecation", b"@1767225600")
