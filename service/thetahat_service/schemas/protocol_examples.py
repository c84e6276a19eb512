"""Examples of protocols, for the OpenAPI document; a test sends them."""

from __future__ import annotations

from typing import Any, Final

PROTOCOLS: Final[dict[str, dict[str, Any]]] = {
    "release of a model": {
        "name": "release 7",
        "description": "The new model is released if it is not worse by two points or more.",
        "kinds": ["predictions"],
        "new": "new",
        "old": "old",
        "metric": "zero_one",
        "margin": 0.02,
        "level": 0.95,
        "require": "not_worse",
        "rows": 2000,
        "evaluations": 1,
    },
    "cross-validation of learners": {
        "kinds": ["cross_validation"],
        "models": ["ridge", "mean"],
        "metric": "squared",
        "target": "these_sources",
        "scheme": {"name": "k_fold", "params": {"n_folds": 10}},
        "interval": "student_t",
        "correction": "holm",
    },
    "planned looks of a series": {
        "kinds": ["series"],
        "new": "new",
        "old": "old",
        "margin": 0.02,
        "series": {
            "method": {"name": "planned", "params": {"rows": 2000, "looks": [0.5, 1.0]}},
            "stop": ["not_worse", "futile"],
        },
        "rows": 2000,
    },
    "data that are there already": {
        "name": "second look at the holdout",
        "data_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "blocks": "holdout",
        "clusters": True,
        "margin": 0.05,
    },
}
"""Bodies of ``POST /v1/protocols``."""

WITHDRAWAL: Final[dict[str, Any]] = {"reason": "The test set has labels of the wrong year."}
"""A body of ``POST /v1/protocols/{protocol_id}/withdraw``."""
