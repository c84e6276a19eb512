"""Uploads and requests as PowerShell and Excel write them."""

from __future__ import annotations

import codecs
import gzip
import json

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import CSV, CSV_TEXT, JSON_TYPE, matrix

REQUEST = json.dumps(matrix())
WRITTEN = {
    "utf-8 with a mark": codecs.BOM_UTF8 + REQUEST.encode(),
    "utf-16": REQUEST.encode("utf-16"),
    "utf-16-le with a mark": codecs.BOM_UTF16_LE + REQUEST.encode("utf-16-le"),
    "utf-16-be with a mark": codecs.BOM_UTF16_BE + REQUEST.encode("utf-16-be"),
    "utf-16-le": REQUEST.encode("utf-16-le"),
    "utf-32": REQUEST.encode("utf-32"),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_exact_a_request_is_read_in_every_encoding_of_json(client: TestClient, form: str) -> None:
    answer = client.post("/v1/evaluations", content=WRITTEN[form], headers=JSON_TYPE)

    assert answer.status_code == 202
    assert answer.json()["kind"] == "losses"


@pytest.mark.parametrize(
    "content", [WRITTEN["utf-16"][:-1], codecs.BOM_UTF8 + b"{", b"\xff\xfe{", codecs.BOM_UTF8]
)
def test_invalid_a_request_that_ends_early(client: TestClient, content: bytes) -> None:
    answer = client.post("/v1/evaluations", content=content, headers=JSON_TYPE)

    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("The body is not JSON")


@pytest.mark.parametrize("media_type", ["application/gzip", "application/octet-stream", "", CSV])
def test_exact_a_packed_text_in_a_form_is_of_the_type_of_its_ending(
    client: TestClient, media_type: str
) -> None:
    file = ("t.csv.gz", gzip.compress(CSV_TEXT), media_type)
    answer = client.post("/v1/datasets", files={"file": file})

    assert (answer.status_code, answer.json()["rows"]) == (201, 3)


def test_exact_ids_with_a_blank_over_http(client: TestClient, worker: InlineWorker) -> None:
    rows = [f"{1790000000000000001 + i // 4},0.{i},0.{i + 1}" for i in range(10, 50)]
    text = "\n".join(["user,a,b", *rows, ",0.5,0.6", ""])
    file = client.post("/v1/datasets", content=text.encode(), headers={"Content-Type": CSV}).json()
    body = {
        "kind": "losses",
        "blocks": "source",
        "dataset": file["id"],
        "columns": {"losses": ["a", "b"], "block": "user"},
        "missing": "leave_out",
    }
    evaluation = client.post("/v1/evaluations", json=body).json()
    worker.work()
    result = client.get(f"/v1/evaluations/{evaluation['id']}/result").json()

    assert result["models"]["a"]["blocks"] == 11
