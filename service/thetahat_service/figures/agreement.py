"""The agreement of raters: kappa of each pair with its interval."""

from __future__ import annotations

from collections.abc import Iterator

from thetahat_presentation.captions import write_level
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.interval_rows import build_interval_rows
from thetahat_service.figures.style import Json


def build_agreement(result: Result) -> Iterator[Figure]:
    """Yield kappa of every pair of raters, with its interval."""
    if result.get("kind") != "agreement":
        return
    rows: list[Json] = [
        {
            "raters": f"{pair['a']}, {pair['b']}",
            "kappa": pair["kappa"]["estimate"],
            "lower": pair["kappa"].get("lower"),
            "upper": pair["kappa"].get("upper"),
        }
        for pair in result.get("pairs", ())
        if pair["kappa"]["estimate"] is not None
    ]
    if not rows:
        return
    level = write_level(result["level"])
    yield Figure(
        name="agreement",
        title="Kappa of each pair of raters",
        caption=(
            f"Cohen's kappa of each pair of raters with its {level} interval. 0 (the dashed line) "
            "is the agreement by chance, 1 full agreement."
        ),
        alt=f"Kappa and {level} intervals of {len(rows)} pairs of raters.",
        view=lambda style: build_interval_rows(
            rows, style, name="raters", value="kappa", axis_title="kappa"
        ),
    )
