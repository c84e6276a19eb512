"""Clients that generators make of the OpenAPI document are typed, and work with the service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from thetahat_service.api.app import create_app
from thetahat_service.kinds.examples import RESULT, read_examples

PACKAGE = "generated_client"
MODELS = "generated_models"
# The exceptions are faults of the generators' own templates, not of the document.
MYPY = f"""
[mypy]
strict = True
warn_redundant_casts = False
[mypy-{PACKAGE}.client]
ignore_errors = True
[mypy-{PACKAGE}.models.variance_estimate]
ignore_errors = True
[mypy-{PACKAGE}.*]
disallow_any_generics = False
warn_return_any = False
[mypy-{MODELS}]
disable_error_code = assignment
"""
USE = """
import sys
import time

from generated_client import Client
from generated_client.api.evaluations import get_evaluation, get_result, submit_evaluation
from generated_client.models import EvaluationRead, LossesRequest, LossesResult


def main(url: str, kind: str) -> None:
    client = Client(base_url=url)
    body = LossesRequest.from_dict(
        {"kind": kind, "blocks": "random", "losses": {"a": [[0, 1], [1, 1]], "b": [[0, 0], [1, 0]]}}
    )
    submitted = submit_evaluation.sync(client=client, body=body)
    assert isinstance(submitted, EvaluationRead), submitted
    while True:
        read = get_evaluation.sync(str(submitted.id), client=client)
        assert isinstance(read, EvaluationRead), read
        if read.finished_at is not None:
            break
        time.sleep(0.05)
    result = get_result.sync(str(submitted.id), client=client)
    assert isinstance(result, LossesResult), result
    model = result.models.additional_properties["a"]
    pooled: float = model.mean.pooled
    print(read.status.value, pooled, result.comparisons[0].difference)


if __name__ == "__main__":
    main(sys.argv[1], "losses")
"""
READ = """
import sys

from generated_models import LossesResult


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        result = LossesResult.model_validate_json(file.read())
    for name, model in result.models.items():
        pooled: float = model.mean.pooled
        print(name, pooled)


if __name__ == "__main__":
    main(sys.argv[1])
"""


def run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def misspelt(source: str, right: str, wrong: str) -> str:
    """Return a script with one name misspelt."""
    assert right in source
    return source.replace(right, wrong)


# Tests of other files that use the service run between those of this file, so that what has the
# scope of the module is made anew.
@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the OpenAPI document, what is generated of it, and scripts that use that."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_text(json.dumps(create_app().openapi()))
    (folder / "config.yaml").write_text(f"package_name_override: {PACKAGE}\npost_hooks: []\n")
    words = "generate --path openapi.json --meta none --config config.yaml --output-path"
    warnings = run(["-m", "openapi_python_client", *words.split(), PACKAGE], folder)
    (folder / "warnings").write_text(warnings)
    options = "--input openapi.json --input-file-type openapi --preset standard-py311-20261027"
    run(["-m", "datamodel_code_generator", *options.split(), "--output", f"{MODELS}.py"], folder)
    for name, source in {"use": USE, "read": READ}.items():
        (folder / f"{name}.py").write_text(source)
        wrong = misspelt(source, "mean.pooled", "mean.poled")
        (folder / f"wrong_{name}.py").write_text(wrong)
    return folder


@pytest.fixture(scope="session")
def found(folder: Path) -> list[str]:
    """What mypy says of all of it, in one run: a start of mypy takes longer than a script."""
    (folder / "mypy.ini").write_text(MYPY)
    files = [PACKAGE, f"{MODELS}.py", "use.py", "read.py", "wrong_use.py", "wrong_read.py"]
    with pytest.raises(AssertionError) as refused:
        run(["-m", "mypy", "--config-file", "mypy.ini", *files], folder)
    return [line.strip() for line in str(refused.value).splitlines() if ": error: " in line]


@pytest.mark.xdist_group("clients of one service")
def test_exact_mypy_refuses_only_what_is_misspelt(found: list[str]) -> None:
    refused = {line.partition(":")[0]: line for line in found}

    assert len(found) == len(refused) == 2, found
    for name in ("wrong_use.py", "wrong_read.py"):
        assert '"Means" has no attribute "poled"' in refused[name]


def test_against_openapi_python_client_it_submits_polls_and_reads(
    folder: Path, service_url: str
) -> None:
    warnings = (folder / "warnings").read_text()

    assert "has resulted in the removal" not in warnings
    assert "submit_evaluation" not in warnings
    assert run(["use.py", service_url], folder).split() == ["succeeded", "0.75", "0.5"]


@pytest.mark.xdist_group("clients of one service")
def test_against_datamodel_codegen_the_models_read_results(folder: Path) -> None:
    result = read_examples(RESULT)["losses"]
    (folder / "result.json").write_text(json.dumps(result))
    printed = run(["read.py", "result.json"], folder).splitlines()
    expected = [f"{name} {model['mean']['pooled']}" for name, model in result["models"].items()]
    assert printed == expected
