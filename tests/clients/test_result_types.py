"""The types of results in the Python client."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.clients.scripted_server import Reply, run_stub
from thetahat_client import Client
from thetahat_client.errors import WrongKind
from thetahat_service.cli.client_types import render_module

CLIENT = ROOT / "clients" / "python"
KEYS = {"model": "recommended", "curve": "saturation", "choice": "chosen_on"}
SNIPPET = """\
from thetahat_client import Client

with Client() as client:
    result = client.result("x", "losses")
    for name, model in result["models"].items():
        interval = model["{model}"]["these_sources"]
        print(name, interval["lower"], result["summary"]["best_model"])
    curve = client.result("x", "learning_curve")["curves"]["ridge"]
    print(curve["{curve}"]["test_share"], curve["points"][0]["mean"]["macro"])
    selection = client.result("x", "selection")
    print(selection["chosen"]["{choice}"], selection["bias"]["of_choice"])
"""


@pytest.fixture(scope="module")
def client_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the client and the types of this code."""
    folder = tmp_path_factory.mktemp("client")
    package = folder / "thetahat_client"
    shutil.copytree(CLIENT / "thetahat_client", package)
    (package / "results.py").write_text(render_module(), encoding="utf-8")
    return folder


CROSS_VALIDATION: Mapping[str, str] = {
    "fast_splits": 'result["learners"]["ridge"]["{key}"]',
    "message": 'result["failures"]["ridge"]["{key}"]',
    "macro": 'result["models"]["ridge"]["mean"]["{key}"]',
    "repetitions": 'result["calibration"]["{key}"]',
}
"""Expressions that end with a key of the result, by that key."""


def write_cross_validation(suffix: str) -> str:
    """Return a script with these expressions, and something behind each key."""
    lines = [
        "from thetahat_client import Client",
        'result = Client().result("x", "cross_validation")',
        *(line.format(key=f"{key}{suffix}") for key, line in CROSS_VALIDATION.items()),
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def found(client_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[str]]:
    """What mypy says of each script, in one run: each run would read the client anew."""
    folder = tmp_path_factory.mktemp("scripts")
    scripts = {
        "right": SNIPPET.format(**KEYS),
        "wrong": SNIPPET.format(**{part: f"{key}x" for part, key in KEYS.items()}),
        "right_cross_validation": write_cross_validation(""),
        "wrong_cross_validation": write_cross_validation("_misspelt"),
    }
    for name, source in scripts.items():
        (folder / f"{name}.py").write_text(source)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", "cache"]
        + [f"{name}.py" for name in scripts],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(client_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    by_script = {name: [e for e in errors if e.startswith(f"{name}.py:")] for name in scripts}
    assert sum(map(len, by_script.values())) == len(errors), errors
    return by_script


@pytest.mark.parametrize("script", ["right", "right_cross_validation"])
def test_exact_mypy_accepts_keys(found: Mapping[str, list[str]], script: str) -> None:
    assert found[script] == []


def test_exact_mypy_refuses_misspelt_keys(found: Mapping[str, list[str]]) -> None:
    for key in KEYS.values():
        assert any(f'has no key "{key}x"' in line for line in found["wrong"]), key


def test_exact_mypy_knows_the_keys_of_a_cross_validation(found: Mapping[str, list[str]]) -> None:
    for key in CROSS_VALIDATION:
        assert any(
            f'has no key "{key}_misspelt"' in line for line in found["wrong_cross_validation"]
        ), key


def test_invalid_kinds_are_refused() -> None:
    with run_stub(Reply(200, {"kind": "losses"})) as stub, Client(stub.url) as client:
        assert client.result("x", "losses")["kind"] == "losses"
        with pytest.raises(WrongKind, match="is of kind 'losses', not 'weights'"):
            client.result("x", "weights")
