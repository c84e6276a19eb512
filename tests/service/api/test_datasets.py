from __future__ import annotations

import hashlib
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import ARROW, CSV, CSV_TEXT, FILES, NPY, PARQUET, npy_bytes
from thetahat_service.cli import main
from thetahat_service.schemas.openapi_examples import EXAMPLES
from thetahat_service.storage import datasets as stored_datasets
from thetahat_service.storage.files import MARK

COLUMNS = [
    {"name": "x", "type": "number"},
    {"name": "n", "type": "integer"},
    {"name": "is", "type": "boolean"},
    {"name": "site", "type": "string"},
]


def send(client: TestClient, content: Any, media_type: str = CSV, **options: Any) -> Any:
    headers = {"Content-Type": media_type, **options.pop("headers", {})}
    return client.post("/v1/datasets", content=content, headers=headers, **options)


def kept_files(data_dir: Path) -> list[Path]:
    paths = (data_dir / "files").rglob("*")
    return [path for path in paths if path.is_file() and path.name != MARK]


@pytest.mark.parametrize("media_type", FILES)
def test_exact_an_upload_says_what_it_holds(client: TestClient, media_type: str) -> None:
    content = FILES[media_type]
    answer = send(client, content, media_type)

    assert answer.status_code == 201
    body = answer.json()
    assert body["sha256"] == hashlib.sha256(content).hexdigest()
    assert (body["rows"], body["bytes"]) == (3, len(content))
    expected = [{"name": f"c{j}", "type": "number"} for j in (0, 1)]
    assert body["columns"] == (expected if media_type == NPY else COLUMNS)
    assert body["media_type"] == media_type
    assert answer.headers["location"] == f"/v1/datasets/{body['id']}"
    assert client.get(answer.headers["location"]).json() == body


@pytest.mark.parametrize("media_type", FILES)
def test_exact_the_same_bytes_give_the_first_record(client: TestClient, media_type: str) -> None:
    first = send(client, FILES[media_type], media_type, params={"name": "first"})
    again = send(client, FILES[media_type], media_type, params={"name": "second"})

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert first.json()["name"] == "first"


def test_exact_the_same_bytes_of_another_type_are_another_data_set(client: TestClient) -> None:
    text = b"c0\n1\n"
    as_csv = send(client, text).json()
    refused = send(client, text, NPY)

    assert refused.status_code == 422
    assert as_csv["rows"] == 1


def test_exact_a_form_is_the_same_as_a_body(client: TestClient) -> None:
    plain = send(client, CSV_TEXT).json()
    form = client.post("/v1/datasets", files={"file": ("t.csv", CSV_TEXT, CSV)}, data={"name": "t"})

    assert form.status_code == 200
    assert form.json() == plain


@pytest.mark.parametrize(
    ("filename", "content", "media_type"),
    [
        ("t.csv", CSV_TEXT, "application/octet-stream"),
        ("t.csv", CSV_TEXT, "application/vnd.ms-excel"),
        ("t.csv", CSV_TEXT, "text/plain"),
        ("t.txt", CSV_TEXT, "text/plain"),
        ("t.csv.xz", lzma.compress(CSV_TEXT), "application/octet-stream"),
        ("t.arrow", FILES[ARROW], "application/octet-stream"),
        ("t.feather", FILES[ARROW], "application/octet-stream"),
        ("t.arrow", FILES[ARROW], "application/vnd.apache.arrow.file"),
        ("t.json", b'{"columns": ["a"], "data": [[1], [2]]}', "application/json"),
        ("t.PARQUET", FILES[PARQUET], "application/octet-stream"),
        ("t.npy", FILES[NPY], "application/octet-stream"),
    ],
)
def test_exact_the_ending_tells_where_a_form_names_no_type(
    client: TestClient, filename: str, content: bytes, media_type: str
) -> None:
    answer = client.post("/v1/datasets", files={"file": (filename, content, media_type)})

    assert answer.status_code == 201
    assert answer.json()["name"] == filename


def test_exact_a_preview_shows_rows_and_what_is_missing(client: TestClient) -> None:
    identifier = send(client, CSV_TEXT).json()["id"]
    body = client.get(f"/v1/datasets/{identifier}/preview", params={"rows": 2}).json()

    assert body["rows"] == [[0.5, 1, True, "a"], [None, 2, False, "b"]]
    assert [column["missing"] for column in body["columns"]] == [1, 0, 0, 0]
    assert body["understood"]["delimiter"] == ","
    assert body["understood"]["encoding"] == "utf-8"


def test_exact_a_list_comes_in_pages_newest_first(client: TestClient) -> None:
    made = [send(client, b"a\n%d\n" % i).json()["id"] for i in range(5)]
    seen, cursor = [], None
    while True:
        params = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        page = client.get("/v1/datasets", params=params).json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break

    assert seen == made[::-1]


def test_limit_a_page_ends_early_where_data_sets_have_very_many_columns(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_datasets, "MAX_COLUMNS_PER_PAGE", 5)
    texts = [b"a,b,c\n1,2,%d\n", b"a,b,c,d,e,f,g\n1,2,3,4,5,6,%d\n", b"a\n%d\n", b"b\n%d\n"]
    made = [send(client, text % i).json()["id"] for i, text in enumerate(texts)]
    pages: list[list[str]] = []
    cursor = None
    while not pages or cursor:
        params = {"limit": 3, **({"cursor": cursor} if cursor else {})}
        page = client.get("/v1/datasets", params=params).json()
        pages.append([item["id"] for item in page["items"]])
        cursor = page["next"]

    assert pages == [[made[3], made[2]], [made[1]], [made[0]]]


def test_exact_deleting_removes_the_bytes(client: TestClient, data_dir: Path) -> None:
    identifier = send(client, CSV_TEXT).json()["id"]
    assert len(kept_files(data_dir)) == 2  # the text and its table
    gone = client.delete(f"/v1/datasets/{identifier}")

    assert gone.status_code == 204
    assert kept_files(data_dir) == []
    assert client.get(f"/v1/datasets/{identifier}").status_code == 404
    assert client.delete(f"/v1/datasets/{identifier}").status_code == 404


def test_exact_bytes_stay_while_another_owner_needs_them(
    client: TestClient, data_dir: Path, keys: dict[str, str]
) -> None:
    ids = {}
    for owner, key in keys.items():
        ids[owner] = send(client, CSV_TEXT, headers={"X-API-Key": key}).json()["id"]
    assert ids["ann"] != ids["bob"]

    client.delete(f"/v1/datasets/{ids['ann']}", headers={"X-API-Key": keys["ann"]})
    assert len(kept_files(data_dir)) == 2
    client.delete(f"/v1/datasets/{ids['bob']}", headers={"X-API-Key": keys["bob"]})
    assert kept_files(data_dir) == []


def test_exact_a_data_set_in_use_stays(client: TestClient, worker: InlineWorker) -> None:
    text = b"loss,fold\n" + b"".join(b"%d,%d\n" % (i % 2, i % 3) for i in range(12))
    identifier = send(client, text).json()["id"]
    request = {
        "kind": "losses",
        "blocks": "random",
        "dataset": identifier,
        "columns": {"losses": ["loss"], "block": "fold"},
    }
    evaluation = client.post("/v1/evaluations", json=request)
    assert evaluation.status_code == 202, evaluation.text

    refused = client.delete(f"/v1/datasets/{identifier}")
    assert (refused.status_code, refused.json()["code"]) == (409, "dataset_in_use")
    worker.work()
    assert client.get(evaluation.headers["location"]).json()["status"] == "succeeded"
    assert client.delete(f"/v1/datasets/{identifier}").status_code == 204


@pytest.mark.parametrize("query", ["rows=0", "rows=1001", "rows=x", "rows="])
def test_invalid_preview_rows(client: TestClient, query: str) -> None:
    identifier = send(client, CSV_TEXT).json()["id"]
    answer = client.get(f"/v1/datasets/{identifier}/preview?{query}")

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["query", "rows"]


@pytest.mark.parametrize("cursor", ["", "x", "ä", "AAAA" * 9, "a" * 400])
def test_invalid_cursors(client: TestClient, cursor: str) -> None:
    answer = client.get("/v1/datasets", params={"cursor": cursor})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["query", "cursor"]


def test_exact_a_large_array_keeps_its_numbers(client: TestClient) -> None:
    array = np.random.default_rng(5).random((50_000, 4))
    body = send(client, npy_bytes(array), NPY).json()
    preview = client.get(f"/v1/datasets/{body['id']}/preview?rows=3").json()

    assert body["rows"] == 50_000
    assert preview["rows"] == array[:3].tolist()


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ('filename="данные.csv"', "данные.csv"),
        ("filename*=UTF-8''%D0%B4%D0%B0%D0%BD%D0%BD%D1%8B%D0%B5.csv", "данные.csv"),
        ("filename=\"data.csv\"; filename*=utf-8''%e2%82%ac.csv", "€.csv"),
        ("filename*=iso-8859-1'de'gr%F6%DFe.csv; filename=\"x.csv\"", "größe.csv"),
        ("filename=\"a; filename*=utf-8''b.csv\"", "a; filename*=utf-8''b.csv"),
        ("filename*=no-such-charset''a.csv", "a.csv"),
    ],
)
def test_exact_a_form_may_name_its_file_in_any_script(
    client: TestClient, parameters: str, name: str
) -> None:
    form = (
        f'--x\r\nContent-Disposition: form-data; name="file"; {parameters}\r\n\r\na\n1\n\r\n--x--'
    )
    answer = send(client, form.encode(), "multipart/form-data; boundary=x")

    assert answer.status_code == 201, answer.text
    assert answer.json()["name"] == name


def test_exact_a_file_is_understood_as_the_document_shows(client: TestClient) -> None:
    identifier = send(client, EXAMPLES["table"].encode(), CSV).json()["id"]
    answer = client.get(f"/v1/datasets/{identifier}/understood")

    assert answer.json() == {**EXAMPLES["understanding"], "id": identifier}
    get = client.get("/openapi.json").json()["paths"]["/v1/datasets/{dataset_id}/understood"]["get"]
    shown = get["responses"]["200"]["content"]["application/json"]["example"]
    assert shown == EXAMPLES["understanding"]


def test_exact_what_is_understood_is_what_inspect_prints(
    client: TestClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "id,model,item,score\n" + "".join(f"{i},{'ab'[i % 2]},q{i // 2},{i}\n" for i in range(8))
    path = tmp_path / "long.csv"
    path.write_text(text.replace("q3", "q 3").replace(",7", ",seven"))
    identifier = send(client, path.read_bytes(), CSV).json()["id"]

    assert main(["inspect", str(path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    answer = client.get(f"/v1/datasets/{identifier}/understood").json()

    assert answer == {**printed, "id": identifier}
    assert answer["columns"][3]["first_not_numbers"] == [{"row": 7, "value": "seven"}]
    assert "models from column 'model'" in " ".join(answer["questions"])


def test_exact_wide_files_and_matrices_are_understood(client: TestClient) -> None:
    wide = ",".join(f"x{j}" for j in range(600)) + "\n" + ",".join(["1"] * 600) + "\n"
    identifier = send(client, wide.encode(), CSV).json()["id"]
    found = client.get(f"/v1/datasets/{identifier}/understood").json()

    assert (len(found["columns"]), found["columns_left_out"]) == (500, 100)
