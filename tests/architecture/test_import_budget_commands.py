"""What ``thetahat compare`` and ``gate`` import to answer about a small file of losses.

Modules are counted instead of time, which other work on the machine changes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tests.architecture.sources import ROOT

PAIR = ("--model", "ridge", "--against", "mean", "--require", "better")
MOST_MODULES = {"compare": 351, "gate": 303, "gate_table": 314}
"""The most modules of our own, those of methods included."""

FORBIDDEN = {
    *("sqlalchemy", "alembic", "celery", "kombu", "redis", "fastapi", "starlette", "uvicorn"),
    *("httpx", "urllib3", "requests", "pandas", "sklearn", "joblib", "numba", "llvmlite"),
    *("scipy.stats", "scipy.optimize", "scipy.linalg", "scipy.sparse", "pydantic_settings"),
    *("matplotlib", "jinja2", "typst", "vl_convert", "narwhals", "thetahat_replications"),
    *("pyarrow.compute", "pyarrow.parquet", "pyarrow.fs", "ssl"),
    *("thetahat_service.api", "thetahat_service.broker", "thetahat_service.storage.engine"),
    *("thetahat_service.storage.tables", "thetahat_service.pages", "thetahat_service.reports"),
    *("thetahat_service.figures", "thetahat_worker", "thetahat.pipelines", "thetahat.learners"),
    *("thetahat.schemes.k_fold", "thetahat.metrics", "thetahat.losses", "thetahat.statistics"),
    *("thetahat.importance_weights", "thetahat.cross_validation", "thetahat.generators"),
}
KINDS = ["thetahat_service", "kinds"]

SCRIPT = """
import json, sys
from pathlib import Path
from thetahat_service.cli import main
status = main(sys.argv[2:])
Path(sys.argv[1]).write_text(json.dumps(sorted(sys.modules)))
sys.exit(status)
"""


def losses_of(n_blocks: int, n_each: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(31)
    easy = rng.gamma(2.0, 0.3, size=(n_blocks, n_each))
    return {
        "ridge": easy + rng.normal(0, 0.1, easy.shape),
        "forest": easy + 0.02 + rng.normal(0, 0.1, easy.shape),
        "mean": easy + 0.3 + rng.normal(0, 0.2, easy.shape),
    }


def write_csv(folder: Path) -> str:
    models = losses_of(20, 30)
    schools = np.repeat([f"school {k}" for k in range(20)], 30)
    rows = zip(schools, *(losses.ravel() for losses in models.values()), strict=True)
    text = "\n".join(",".join(map(str, row)) for row in rows)
    path = folder / "losses.csv"
    path.write_text(f"school,{','.join(models)}\n{text}\n")
    return str(path)


def write_request(folder: Path) -> str:
    body = {
        "kind": "losses",
        "blocks": "random",
        "losses": {name: losses.tolist() for name, losses in losses_of(10, 60).items()},
        "gate": {"model": "ridge", "against": "mean"},
        "margin": 0.05,
    }
    path = folder / "request.json"
    path.write_text(json.dumps(body))
    return str(path)


class Run(NamedTuple):
    """A command, and the modules that it has imported when it ends."""

    command: str
    modules: set[str]


@pytest.fixture(scope="module", params=["compare", "gate", "gate_table"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("budget")
    words = {
        "compare": ["compare", write_csv(folder), "--block", "school"],
        "gate": ["gate", write_request(folder)],
        "gate_table": ["gate", write_csv(folder), "--block", "school", *PAIR],
    }[request.param]
    report = folder / "modules.json"
    subprocess.run([sys.executable, "-c", SCRIPT, str(report), *words], cwd=ROOT, check=True)
    return Run(request.param, set(json.loads(report.read_text())))


def test_exact_a_command_imports_no_more_than_its_budget(run: Run) -> None:
    ours = sorted(name for name in run.modules if name.partition(".")[0].startswith("thetahat"))

    assert len(ours) <= MOST_MODULES[run.command], "\n".join(ours)


def test_exact_a_command_imports_nothing_that_it_does_not_use(run: Run) -> None:
    assert run.modules & FORBIDDEN == set()


def test_exact_a_command_imports_its_own_kind_alone(run: Run) -> None:
    names = [name.split(".") for name in run.modules]
    packages = {name[2] for name in names if name[:2] == KINDS and len(name) > 3}

    assert packages == {"fields", "losses"}


def test_exact_a_command_imports_no_module_of_another_command(run: Run) -> None:
    command = run.command.removesuffix("_table")
    (other,) = {"compare", "gate"} - {command}

    assert f"thetahat_service.cli.{command}" in run.modules
    assert f"thetahat_service.cli.{other}" not in run.modules
