"""The examples that the OpenAPI document shows are requests that run, and their results.

``python -m tests.service.kinds.test_examples`` writes the results again.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID, uuid4

import pytest

import thetahat
from thetahat_service.in_process.files import read_file
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import DatasetFile, Job, run_job
from thetahat_service.kinds.examples import REQUEST, RESULT, WITH_DATASET, read_examples
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.result_json import encode_result

REQUESTS = read_examples(REQUEST) | read_examples(WITH_DATASET)
RESULTS = read_examples(RESULT)
DESCRIBED = sorted(REQUESTS)
"""The kinds whose request fields are described, each by itself."""


def compute(body: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request as a client reads it."""
    kind = JOB_KINDS[body["kind"]]
    request = kind.request.model_validate_json(json.dumps(body))
    with TemporaryDirectory() as folder:
        datasets = _store_dataset(body, Path(folder))
        kind.check(request, datasets)
        # A kind keeps its last plan for further chunks of the same job: each job has its own id.
        job = Job(uuid4(), body["kind"], request, body["seed"], datasets)
        finished = run_job(kind, job)
    provenance = Provenance(
        version=thetahat.__version__, seed=body["seed"], data_sha256="0" * 64, spec_sha256="0" * 64
    )
    result: dict[str, Any] = json.loads(encode_json(encode_result(finished, provenance)))
    return result


def _store_dataset(body: dict[str, Any], folder: Path) -> dict[UUID, DatasetFile]:
    """Return the data set that an example names, with the true values of its predictions."""
    if "dataset" not in body:
        return {}
    path, store = folder / "answers.csv", folder / "store"
    store.mkdir()
    path.write_text("answer\nno\nyes\nno\nyes\nyes\nno\nno\nyes\n")
    file = replace(read_file(path, "text/csv", store), id=UUID(body["dataset"]))
    return {file.id: file}


def words_of(value: Any) -> Any:
    """Return the keys and the texts of a value at every depth; the numbers in texts are left out.

    Numbers may differ in their last digits on another machine. tests/golden compares them.
    """
    if isinstance(value, dict):
        return {key: words_of(item) for key, item in value.items() if key != "version"}
    if isinstance(value, list):
        return [words_of(item) for item in value if isinstance(item, dict | list | str)]
    return re.sub(r"\d[\d.e-]*", "0", value) if isinstance(value, str) else None


@pytest.mark.usefixtures("small_by_default")
@pytest.mark.parametrize("kind", sorted(REQUESTS))
def test_exact_an_example_has_the_keys_and_the_words_of_its_result(kind: str) -> None:
    result = compute(REQUESTS[kind])

    assert words_of(result) == words_of(RESULTS[kind]), (
        f"The example of {kind} is old. Run `python -m tests.service.kinds.test_examples`."
    )
    assert result["kind"] == kind


@pytest.mark.parametrize("kind", DESCRIBED)
def test_exact_every_field_of_a_request_is_described(kind: str) -> None:
    schema = JOB_KINDS[kind].request.model_json_schema()
    models = {kind: schema, **schema.get("$defs", {})}
    bare = [
        f"{name}.{field}"
        for name, model in models.items()
        for field, entry in model.get("properties", {}).items()
        if not entry.get("description")
    ]

    assert bare == []


@pytest.mark.parametrize(
    ("kind", "field", "component"),
    [
        ("losses", "variances", "VarianceName"),
        ("losses", "tests", "TestName"),
        ("predictions", "loss", "LossName"),
        ("predictions", "metrics", "MetricName"),
        ("cross_validation", "scheme", "SchemeName"),
        ("cross_validation", "metrics", "MetricName"),
        ("cross_validation", "weights", "WeightsName"),
        ("cross_validation", "risks", "RiskName"),
        ("bootstrap", "statistic", "StatisticName"),
        ("bootstrap", "intervals", "BootstrapIntervalName"),
        ("weights", "weights", "WeightsName"),
        ("learning_curve", "metrics", "MetricName"),
        ("selection", "internal", "SchemeName"),
        ("selection", "external", "SchemeName"),
        ("selection", "select_by", "MetricName"),
        ("selection", "metrics", "MetricName"),
        ("importance_weighting", "risks", "RiskName"),
    ],
)
def test_exact_names_of_methods_are_listed(kind: str, field: str, component: str) -> None:
    schema = JOB_KINDS[kind].request.model_json_schema()

    assert f"#/$defs/{component}" in json.dumps(schema["properties"][field])
    assert len(schema["$defs"][component]["enum"]) > 1


def write_results() -> None:
    """Write the result of each example next to its request."""
    for kind, body in REQUESTS.items():
        path = Path(str(files(f"thetahat_service.kinds.{kind}").joinpath(RESULT)))
        path.write_text(json.dumps(compute(body), indent=1) + "\n")


if __name__ == "__main__":
    write_results()
