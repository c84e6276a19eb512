"""The data of the demo: exam scores of 4059 pupils in 65 London schools, and four learners.

Source of the data: Goldstein et al. (1993), as ``Exam`` of the R package mlmRev; ``thetahat
example`` writes them too. A school is a source: is a model still right in a new school?
"""

from __future__ import annotations

from importlib import resources
from typing import Any

NUMERIC = ["standLRT", "schavg"]
CATEGORICAL = ["schgend", "vr", "intake", "sex", "type"]
PREPARE = [{"name": "one_hot", "columns": CATEGORICAL}, {"name": "standardise", "columns": NUMERIC}]
LEARNERS: dict[str, Any] = {
    "mean": "mean",
    "ridge": {"name": "ridge", "params": {"penalty": 1.0}, "prepare": PREPARE},
    "neighbours": {
        "name": "KNeighborsRegressor",
        "params": {"n_neighbors": 15},
        "prepare": PREPARE,
    },
    "forest": {
        "name": "RandomForestRegressor",
        "params": {"n_estimators": 30, "min_samples_leaf": 5},
        "prepare": [{"name": "one_hot", "columns": CATEGORICAL}],
    },
}
COLUMNS = {"target": "normexam", "features": NUMERIC + CATEGORICAL, "source": "school"}


def read_exam_csv() -> bytes:
    """Return the data as a CSV file."""
    return resources.files("thetahat_service").joinpath("example_files", "exam.csv").read_bytes()


def request(dataset: str, scheme: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the body of ``POST /v1/evaluations``."""
    return {
        "kind": "cross_validation",
        "name": name,
        "seed": 2026,
        "labels": {"project": "demo"},
        "dataset": dataset,
        "columns": COLUMNS,
        "task": "regression",
        "learners": LEARNERS,
        "scheme": scheme,
        "loss": "squared",
        "unit": "school",
        "margin": 0.02,
    }
