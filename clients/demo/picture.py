"""Draw the picture at the beginning of the README from the two results of the demo.

``python clients/demo/picture.py RANDOM_FOLDS.json SCHOOLS.json PICTURE.svg``
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert

FONT: Final = "Helvetica, Arial, sans-serif"
CLEAR, UNCLEAR, BAND = "#0072b2", "#6b6b6b", "#e8e8e8"
MARGIN: Final = 0.02
MINUS: Final = "\N{MINUS SIGN}"
QUESTIONS: Final = ("Random folds: more pupils of these schools", "A school left out: a new school")


def main() -> int:
    """Read both results and write the picture."""
    random_folds, schools, target = map(Path, sys.argv[1:])
    rows = [
        _read_row(question, json.loads(path.read_text(encoding="utf-8")))
        for question, path in zip(QUESTIONS, (random_folds, schools), strict=True)
    ]
    target.write_text(vl_convert.vegalite_to_svg(draw(rows).to_json()), encoding="utf-8")
    return 0


def _read_row(question: str, result: dict[str, Any]) -> dict[str, Any]:
    """Return the difference of forest and ridge with its interval, as forest minus ridge."""
    pair = next(p for p in result["comparisons"] if {p["a"], p["b"]} == {"forest", "ridge"})
    sign = 1 if pair["a"] == "forest" else -1
    interval = pair["interval"]
    ends = sorted((sign * interval["lower"], sign * interval["upper"]))
    decided = pair["verdict"]["decision"] in {"better", "worse"}
    verdict = "ridge is better" if decided else "cannot tell which is better"
    difference = sign * interval["estimate"]
    shown, lower, upper = (_format_signed(value) for value in (difference, *ends))
    return {
        "question": question,
        "difference": difference,
        "lower": ends[0],
        "upper": ends[1],
        "verdict": f"{shown} (95 % interval {lower} to {upper}): {verdict}",
        "decided": decided,
    }


def _format_signed(value: float) -> str:
    """Return a difference with its sign and three decimals; 0 has no sign."""
    text = f"{value:+.3f}".replace("-", MINUS)
    return text if float(f"{value:.3f}") else text[1:]


def draw(rows: list[dict[str, Any]]) -> alt.LayerChart:
    """Return the chart: one row for each question, with the margin as a band."""
    position = alt.Y("question:N", sort=list(QUESTIONS), axis=None)
    colour = alt.condition("datum.decided", alt.value(CLEAR), alt.value(UNCLEAR))
    data = alt.Data(values=rows)
    band = alt.Chart(alt.Data(values=[{"from": -MARGIN, "to": MARGIN}])).mark_rect(color=BAND)
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(color="#999999")
    axis = alt.X(
        "lower:Q",
        title="squared error of the forest minus that of ridge; grey: too small to matter",
        scale=alt.Scale(domain=[-0.04, 0.12]),
        axis=alt.Axis(labelExpr="datum.value == 0 ? '0' : format(datum.value, '+.2f')", grid=False),
    )
    lines = (
        alt.Chart(data).mark_rule(strokeWidth=4).encode(axis, position, x2="upper:Q", color=colour)
    )
    points = (
        alt.Chart(data)
        .mark_point(filled=True, size=140, opacity=1)
        .encode(x="difference:Q", y=position, color=colour)
    )
    words = alt.Chart(data).mark_text(dy=-38, align="left", fontSize=15, fontWeight="bold")
    verdicts = alt.Chart(data).mark_text(dy=-19, align="left", fontSize=13)
    left = alt.value(8)
    chart = alt.layer(
        band.encode(x="from:Q", x2="to:Q"),
        zero.encode(x="x:Q"),
        lines,
        points,
        words.encode(x=left, y=position, text="question:N"),
        verdicts.encode(x=left, y=position, text="verdict:N", color=colour),
    )
    return (
        chart.properties(width=640, height=220, background="white", padding=12)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", domain=False)
    )


if __name__ == "__main__":
    sys.exit(main())
