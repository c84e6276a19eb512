"""The agreement of raters: kappa of each pair with its interval."""

from __future__ import annotations

from collections.abc import Iterator

from thetahat_presentation.captions import write_level
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.style import Json, Style


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
        title="How far do the raters agree?",
        caption=(
            f"Cohen's kappa of each pair of raters with its {level} interval. 0 (the dashed line) "
            "is the agreement by chance, 1 full agreement."
        ),
        alt=f"Kappa and {level} intervals of {len(rows)} pairs of raters.",
        view=lambda style: _build_view(rows, style),
    )


def _build_view(rows: list[Json], style: Style) -> Json:
    palette = style.palette
    x: Json = {"type": "quantitative", "title": "kappa"}
    y: Json = {"field": "raters", "type": "nominal", "title": None, "sort": None}
    return {
        **style.fit_height(40 + 22 * len(rows)),
        "data": {"values": rows},
        "layer": [
            {
                "data": {"values": [{"zero": 0}]},
                "mark": {"type": "rule", "strokeDash": [5, 3]},
                "encoding": {"x": {"field": "zero", **x}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 3, "color": palette.vermilion},
                "encoding": {"y": y, "x": {"field": "lower", **x}, "x2": {"field": "upper"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "color": palette.blue},
                "encoding": {
                    "y": y,
                    "x": {"field": "kappa", **x},
                    "tooltip": [
                        {"field": "raters"},
                        {"field": "kappa", "format": ".4~g"},
                        {"field": "lower", "format": ".4~g"},
                        {"field": "upper", "format": ".4~g"},
                    ],
                },
            },
        ],
    }
