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


def check(client_path: Path, tmp_path: Path, source: str) -> subprocess.CompletedProcess[str]:
    """Run mypy on a snippet that uses the client."""
    (tmp_path / "snippet.py").write_text(source)
    options = ["--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache")]
    return subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(tmp_path / "snippet.py")],
        env={**os.environ, "MYPYPATH": str(client_path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_exact_mypy_accepts_keys_and_refuses_misspelt_ones(
    client_path: Path, tmp_path: Path
) -> None:
    right = check(client_path, tmp_path, SNIPPET.format(**KEYS))
    wrong = check(
        client_path, tmp_path, SNIPPET.format(**{part: f"{key}x" for part, key in KEYS.items()})
    )

    assert right.returncode == 0, right.stdout
    assert wrong.returncode == 1
    for key in KEYS.values():
        assert f'has no key "{key}x"' in wrong.stdout


CROSS_VALIDATION: Mapping[str, str] = {
    "fast_splits": 'result["learners"]["ridge"]["{key}"]',
    "message": 'result["failures"]["ridge"]["{key}"]',
    "macro": 'result["models"]["ridge"]["mean"]["{key}"]',
    "repetitions": 'result["calibration"]["{key}"]',
}
"""Expressions that end with a key of the result, by that key."""


def test_exact_mypy_knows_the_keys_of_a_cross_validation(client_path: Path, tmp_path: Path) -> None:
    def check_keys(suffix: str) -> subprocess.CompletedProcess[str]:
        lines = [
            "from thetahat_client import Client",
            'result = Client().result("x", "cross_validation")',
            *(line.format(key=f"{key}{suffix}") for key, line in CROSS_VALIDATION.items()),
        ]
        return check(client_path, tmp_path, "\n".join(lines) + "\n")

    right, wrong = check_keys(""), check_keys("_misspelt")

    assert right.returncode == 0, right.stdout
    assert wrong.returncode == 1
    for key in CROSS_VALIDATION:
        assert f'has no key "{key}_misspelt"' in wrong.stdout


def test_invalid_kinds_are_refused() -> None:
    with run_stub(Reply(200, {"kind": "losses"})) as stub, Client(stub.url) as client:
        assert client.result("x", "losses")["kind"] == "losses"
        with pytest.raises(WrongKind, match="is of kind 'losses', not 'weights'"):
            client.result("x", "weights")
