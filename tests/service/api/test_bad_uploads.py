from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.api.requests import CSV, CSV_TEXT, FILES
from tests.service.api.test_datasets import kept_files, send
from tests.service.storage.databases import Setting


def test_invalid_a_body_over_the_limit_is_refused_before_it_is_read(
    client: TestClient, setting: Setting, data_dir: Path
) -> None:
    setting(max_upload_bytes=2000)
    read = []

    def slowly() -> Any:
        for _ in range(3):
            read.append(1)
            yield b"a\n" * 500

    declared = send(client, slowly(), headers={"Content-Length": "3000"})
    counted = send(client, b"a\n" * 1500, headers={"Transfer-Encoding": "chunked"})

    assert (declared.status_code, counted.status_code) == (413, 413)
    assert kept_files(data_dir) == []


def test_invalid_too_many_cells(client: TestClient, setting: Setting, data_dir: Path) -> None:
    setting(max_cells=5)
    for media_type, content in FILES.items():
        answer = send(client, content, media_type)
        assert answer.status_code == 413, media_type
        assert "cells" in answer.json()["detail"]
    assert kept_files(data_dir) == []


@pytest.mark.parametrize("media_type", FILES)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 64,
        b"PAR1 but not",
        b"\x93NUMPY\x01\x00\xff\xff{",
        b"\xff\xfea\x00",
        b"1,2\n3,4\n",
    ],
    ids=["empty", "zeros", "parquet?", "npy?", "utf-16", "no header"],
)
def test_invalid_a_file_that_is_not_what_its_type_says(
    client: TestClient, data_dir: Path, media_type: str, content: bytes
) -> None:
    answer = send(client, content, media_type)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_file")
    assert len(answer.json()["detail"]) > 10
    assert kept_files(data_dir) == []


@pytest.mark.parametrize("media_type", [m for m in FILES if m != CSV])
def test_invalid_a_file_that_was_cut_off(client: TestClient, media_type: str) -> None:
    answer = send(client, FILES[media_type][:-20], media_type)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_file")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": ""}, 415),
        ({"Content-Type": "application/xml"}, 415),
        ({"Content-Type": "application/zip"}, 415),
        ({"Content-Type": "text/x-libsvm; charset=latin-1"}, 415),
        ({"Content-Type": "text/csv; charset=ebcdic"}, 415),
        ({"Content-Encoding": "gzip"}, 415),
        ({"Content-Type": "multipart/form-data"}, 400),
        ({"Content-Type": "multipart/form-data; boundary=x"}, 400),
        ({"Content-Length": "-1"}, 400),
    ],
)
def test_invalid_headers(client: TestClient, headers: dict[str, str], status: int) -> None:
    answer = send(client, CSV_TEXT, headers=headers)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def part(name: str, content: str, filename: str | None = None) -> str:
    file = "" if filename is None else f'; filename="{filename}"'
    return f'--x\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n{content}\r\n'


@pytest.mark.parametrize(
    "form",
    [
        part("name", "t") + "--x--\r\n",
        part("file", "a\n1\n", "t.csv"),
        part("file", "a\n1\n", "t.csv")[:-3],
        part("file", "a\n1\n", "t.csv") * 2 + "--x--\r\n",
        part("other", "1") + "--x--\r\n",
        part("nam", "t") + part("file", "a\n1\n", "t.csv") + "--x--\r\n",
        part("name", "t") * 2 + part("file", "a\n1\n", "t.csv") + "--x--\r\n",
        "--x\r\n" + "A: b\r\n" * 100 + "\r\n",
        "--x\r\nA: " + "b" * 10_000,
        "nothing",
    ],
    ids=[
        "no file",
        "not closed",
        "cut off",
        "two",
        "other",
        "misspelt",
        "two names",
        "headers",
        "header",
        "no form",
    ],
)
def test_invalid_forms(client: TestClient, data_dir: Path, form: str) -> None:
    answer = send(client, form.encode(), "multipart/form-data; boundary=x")

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request")
    assert kept_files(data_dir) == []


def test_invalid_names(client: TestClient) -> None:
    for name in ("x" * 201, "a\0b"):
        answer = send(client, CSV_TEXT, params={"name": name})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["loc"] == ["name"]


def test_invalid_a_boundary_that_is_too_long(client: TestClient) -> None:
    boundary = "x" * 7000
    body = part("file", "a\n1\n", "t.csv").replace("--x", f"--{boundary}")
    answer = send(client, body.encode(), f"multipart/form-data; boundary={boundary}")

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request")
    assert "boundary has 7000 characters" in answer.json()["detail"]
