"""A bootstrap, and importance weights alone, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thetahat_client.tables import WIDTH, ends, number, table, wrapped

_OF_BOOTSTRAP: Final = {
    "estimate": "estimate",
    "replicates_mean": "mean of the replicates",
    "bias": "bias",
    "bias_corrected": "estimate less bias",
    "variance": "variance",
    "standard_error": "standard error",
}
_OF_WEIGHTS: Final = {
    "mean": "mean weight (near 1 where the ratio is right)",
    "variance": "variance",
    "largest": "largest",
    "largest_share": "share of the largest in their sum",
    "effective_sample_size": "effective sample size",
    "share_above_10": "share above 10",
    "share_zero": "share of zeros",
    "coverage": "share of target rows that source rows are near to",
}


def bootstrap_text(result: Mapping[str, Any], width: int = WIDTH) -> str:
    """Return the statistic with its bias and error, and every interval."""
    rows = [[words, number(result[key])] for key, words in _OF_BOOTSTRAP.items() if key in result]
    intervals = [
        [interval["method"], f"{100 * interval['level']:g} %", ends(interval)]
        for interval in result.get("intervals", [])
    ]
    note = f"{result['n_resamples']} resamples of {_rows(result['n'])}"
    parts = [
        "\n".join([table([str(result["statistic"]), ""], rows), *wrapped([note], width, bullet="")])
    ]
    if intervals:
        parts.append(table(["interval", "level", "ends"], intervals))
    return "\n\n".join(parts)


def weights_text(result: Mapping[str, Any], width: int = WIDTH) -> str:
    """Return what the weights are worth, a number a row."""
    weights: Mapping[str, Any] = result["weights"]
    rows = [[words, number(weights[key])] for key, words in _OF_WEIGHTS.items() if key in weights]
    note = f"{weights['n']} source rows, {weights.get('n_target')} target rows"
    header = [str(weights.get("method", "weights")), ""]
    return "\n".join([table(header, rows), *wrapped([note], width, bullet="")])


def _rows(n: Any) -> str:
    """Return how many rows a sample has, or each of two."""
    if isinstance(n, Mapping):
        return " and ".join(f"{size} rows ({name})" for name, size in n.items())
    return f"{n} rows"
