"""Examples of requests and of a look, for the OpenAPI document; a test sends them."""

from __future__ import annotations

from typing import Any, Final

SERIES: Final[dict[str, dict[str, Any]]] = {
    "two models": {
        "name": "new against old, every night",
        "models": ["new", "old"],
        "margin": 0.02,
        "stop": ["better", "worse", "equivalent"],
        "expected": {"difference": -0.03, "standard_deviation": 0.4, "batch_units": 200},
    },
    "one model, exact": {
        "models": ["new"],
        "reference": 0.1,
        "method": "binomial_mixture",
    },
    "planned looks": {
        "models": ["new", "old"],
        "margin": 0.02,
        "method": {"name": "planned", "params": {"rows": 2000, "looks": [0.5, 1.0]}},
        "stop": ["not_worse", "futile"],
    },
    "scores in a range": {
        "models": ["new", "old"],
        "better": "higher",
        "method": {"name": "bounded", "params": {"range": [0, 1]}},
    },
}
"""Bodies of ``POST /v1/series``."""

BATCH: Final[dict[str, Any]] = {
    "losses": {"new": [0, 0, 1, 0, 0, 0], "old": [0, 1, 1, 0, 1, 0]},
    "at": "2026-11-26T00:00:00Z",
}
"""A body of ``POST /v1/series/{series_id}/batches``."""

LOOK: Final[dict[str, Any]] = {
    "number": 1,
    "rows": 6,
    "n": 6,
    "estimate": -0.3333333333333333,
    "standard_deviation": 0.4714045207910317,
    "lower": None,
    "upper": None,
    "e_value": None,
    "p_value": None,
    "holds": [],
    "decision": None,
    "conditional_power": None,
    "sentence": "After 6 rows there is no interval. There are 6 rows, and the first interval "
    "is at row 100.",
    "reason": "There are 6 rows, and the first interval is at row 100.",
    "at": "2026-11-26T00:00:00Z",
    "received_at": "2026-11-26T00:00:02Z",
}
"""The answer to the batch, in the series of the first example."""
