"""Answers of losses in the order of time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.vectors.reading import Ask
from thetahat.analyses.losses.neighbours import RowsInOrder
from thetahat.numerics.long_run_variance import choose_block_length, compute_autocovariances


def answer_long_run_variance(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the standard error of a mean of values that depend on their neighbours."""
    loss, lags = inputs["loss"], inputs["lags"]
    body = {"kind": "losses", "blocks": "holdout", "losses": {"m": loss}, "include": ["variances"]}
    variances = [
        "iid",
        {"name": "newey_west", "params": {"lag": lags}},
        {"name": "block_bootstrap", "params": {"length": 5}},
    ]
    in_time = {**body, "time": list(range(len(loss))), "variances": variances}
    model = ask(in_time)["models"]["m"]
    by_default = ask({**in_time, "variances": ["newey_west"]})["models"]["m"]["variances"]
    found = model["variances"]
    autocovariances = compute_autocovariances(np.array(loss), lags)
    # the factor by which a caution about neighbours says that intervals are too short
    alike = RowsInOrder(np.array([len(loss)])).measure(np.array(loss))
    assert alike is not None
    independent = found["iid"]["standard_error"]
    return {
        "mean": model["mean"]["pooled"],
        "se_iid": independent,
        "se_newey_west_small_sample": alike.factor * independent,
        "se_newey_west": found["newey_west"]["standard_error"],
        "se_of_default_lag": by_default["newey_west"]["standard_error"],
        "lag": by_default["newey_west"]["lag"],
        "autocovariances": autocovariances.tolist(),
        "effective_sample_size_bartlett": found["newey_west"]["effective_n"],
        "arch_optimal_block_length": {"circular": choose_block_length(np.array(loss))},
        "se_block_bootstrap_length_5": {"circular": found["block_bootstrap"]["standard_error"]},
    }


def answer_diebold_mariano(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the test of two forecasts by absolute and by squared errors."""
    answer: dict[str, Any] = {}
    for power, name in ((1, "absolute"), (2, "squared")):
        losses = {m: (np.abs(e) ** power).tolist() for m, e in inputs["errors"].items()}
        for weights in ("equal", "bartlett"):
            key = f"{name}_{'acf' if weights == 'equal' else weights}"
            body = {
                "kind": "losses",
                "blocks": "holdout",
                "losses": losses,
                "time": list(range(len(losses["a"]))),
                "tests": [
                    {
                        "name": "diebold_mariano",
                        "params": {"horizon": inputs["horizon"], "weights": weights},
                    }
                ],
                "include": ["tests"],
            }
            two_sided, less = (
                ask({**body, "alternative": side})["comparisons"][0]["tests"]["diebold_mariano"]
                for side in ("two_sided", "less")
            )
            # with weights of 1 a negative variance takes those of Bartlett, and says so
            key = key if two_sided["weights"] == weights else f"{key}_instead"
            answer[key] = {
                "statistic": two_sided["statistic"],
                "p_value": two_sided["p_value"],
                "p_less": less["p_value"],
            }
    return answer
