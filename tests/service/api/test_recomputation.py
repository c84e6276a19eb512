"""The bundle and the notebook of an evaluation over HTTP."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.test_result_parts import REQUESTS, run
from tests.service.recomputation.kept_evaluations import unpack
from tests.service.recomputation.test_notebooks import run_cells
from tests.service.storage.databases import use
from thetahat_service.kinds.examples import REQUEST, read_examples
from thetahat_service.recomputation.verification import VerificationOutcome, verify_bundle


@pytest.mark.parametrize("name", ["sources", "cross_validation"])
def test_exact_the_bundle_of_an_evaluation_is_verified(
    client: TestClient, worker: InlineWorker, name: str, tmp_path: Path
) -> None:
    location = run(client, worker, {**REQUESTS[name], "name": "Schools", "labels": {"a": "b"}})
    file = tmp_path / "bundle.zip"

    answer = client.get(f"{location}/bundle.zip")
    file.write_bytes(answer.content)
    files = unpack(file)

    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert files["result.json"] == client.get(f"{location}/result").content
    parquet = {"Accept": "application/vnd.apache.parquet"}
    assert files["losses.parquet"] == client.get(f"{location}/losses", headers=parquet).content
    assert json.loads(files["request.json"]) == client.get(f"{location}/request").json()
    statement = json.loads(files["statement.json"])
    assert statement["predicate"]["evaluation"] == location.rpartition("/")[2]
    assert verify_bundle(file, None).outcome is VerificationOutcome.SAME
    assert client.get(f"{location}/bundle.zip").content == answer.content


def test_exact_a_bundle_has_the_report_where_it_is_asked_for(
    client: TestClient, worker: InlineWorker, tmp_path: Path
) -> None:
    location = run(client, worker, REQUESTS["predictions"])
    file = tmp_path / "bundle.zip"
    file.write_bytes(client.get(f"{location}/bundle.zip", params={"report": "true"}).content)

    assert unpack(file)["report.html"] == client.get(f"{location}/report.html").content
    assert verify_bundle(file, None).outcome is VerificationOutcome.SAME


def test_exact_a_service_with_a_key_signs(
    client: TestClient,
    worker: InlineWorker,
    data_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (data_dir / "key.pem").write_bytes(pem)
    use(monkeypatch, data_dir=data_dir, workers=1, signing_key=str(data_dir / "key.pem"))
    location = run(client, worker, REQUESTS["sources"])
    file = data_dir / "bundle.zip"
    file.write_bytes(client.get(f"{location}/bundle.zip").content)

    found = verify_bundle(file, key.public_key())

    assert found.outcome is VerificationOutcome.SAME
    assert found.findings[0].startswith("Signature: right")


def test_exact_the_notebook_of_an_evaluation_computes_its_numbers(
    client: TestClient, worker: InlineWorker, tmp_path: Path
) -> None:
    location = run(client, worker, {**REQUESTS["cross_validation"], "name": "Two *learners*"})

    answer = client.get(f"{location}/notebook.ipynb")

    assert answer.headers["content-type"] == "application/x-ipynb+json"
    assert r"# Two \*learners\*" in "".join(answer.json()["cells"][0]["source"])
    output, _ = run_cells(answer.content, tmp_path)
    assert "values are equal to the bit" in output


@pytest.mark.parametrize(
    ("body", "output", "reason"),
    [
        (
            {**REQUESTS["cross_validation"], "scheme": "k_fold", "variances": ["out_of_bag"]},
            "notebook.ipynb",
            "out_of_bag used losses of extra fits",
        ),
        (read_examples(REQUEST)["bootstrap"], "notebook.ipynb", "does not follow from losses"),
    ],
)
def test_invalid_what_is_not_kept_is_refused_by_name(
    client: TestClient, worker: InlineWorker, body: dict[str, Any], output: str, reason: str
) -> None:
    location = run(client, worker, body)

    answer = client.get(f"{location}/{output}")

    assert (answer.status_code, answer.json()["code"]) == (409, "parts_not_kept")
    assert reason in answer.json()["detail"]


@pytest.mark.parametrize("output", ["bundle.zip", "notebook.ipynb"])
def test_invalid_an_evaluation_without_result_has_none(client: TestClient, output: str) -> None:
    queued = client.post("/v1/evaluations", json=REQUESTS["sources"]).headers["location"]

    assert client.get(f"{queued}/{output}").json()["code"] == "result_not_ready"
    assert client.get(f"/v1/evaluations/{'0' * 36}/{output}").status_code == 404


def test_exact_the_file_of_a_bundle_is_removed_when_it_was_sent(
    client: TestClient, worker: InlineWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = run(client, worker, REQUESTS["sources"])
    files = []
    open_temporary = tempfile.NamedTemporaryFile

    def remember(**options: Any) -> Any:
        files.append(open_temporary(**options))
        return files[-1]

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", remember)
    assert client.get(f"{location}/bundle.zip").status_code == 200

    bundles = [file for file in files if "thetahat-bundle-" in file.name]
    assert len(bundles) == 1
    assert not Path(bundles[0].name).exists()
