"""The bootstrap of a statistic as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from thetahat_client.results import BootstrapResultDict
from thetahat_client.text.page import Page, format_interval, format_level, format_number

Number: TypeAlias = Literal[
    "estimate", "replicates_mean", "bias", "bias_corrected", "variance", "standard_error"
]

FIELDS: Final[dict[Number, str]] = {
    "estimate": "estimate",
    "replicates_mean": "mean of the replicates",
    "bias": "bias",
    "bias_corrected": "estimate minus bias",
    "variance": "variance",
    "standard_error": "standard error",
}


def write_bootstrap(result: BootstrapResultDict, page: Page) -> str:
    """Return the statistic with its bias and standard error, and every interval."""
    rows = [[words, format_number(result[key])] for key, words in FIELDS.items() if key in result]
    notes = [f"{result['n_resamples']} resamples of {_format_size(result['n'])}"]
    tables = [page.format_table([str(result["statistic"]), ""], rows, notes)]
    intervals = [
        [interval["method"], format_level(interval["level"]), format_interval(interval)]
        for interval in result.get("intervals", [])
    ]
    if intervals:
        tables.append(page.format_table(["interval", "level", "ends"], intervals))
    return "\n\n".join(tables)


def _format_size(n: int | Sequence[int]) -> str:
    """Return the number of rows of a sample, or of each of two."""
    sizes = [n] if isinstance(n, int) else n
    return f"{' and '.join(map(str, sizes))} rows"
