"""Colours, fonts and the Vega-Lite configuration that all figures share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from thetahat.values.types import Target

Theme = Literal["light", "dark"]
Json = dict[str, Any]
"""A part of a Vega-Lite specification."""

LETTER: Final = 6.2
"""Average width of a letter of a label, in pixels."""
WIDE_LETTER: Final = 7.2
"""Width of a letter that a label with many digits and capitals does not exceed on average."""
PADDING: Final = 12
TITLE_SIZE: Final = 15
NARROWEST: Final = 320
WIDEST: Final = 2000
USUAL_WIDTH: Final = 720
FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is inside vl-convert; the others have the same widths on a page."""
LABEL_SHARE: Final = 0.35
"""Share of the width after which the label of a row is cut with an ellipsis."""
LABEL_SIZE: Final = 12.0
"""Font size of the labels of rows."""
SMALL_LABEL_SIZE: Final = 10.0
"""The same of many rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """The colours of one theme."""

    paper: str
    ink: str
    faint: str
    grid: str
    """Background, text and marks, secondary text, grid lines."""
    series: tuple[str, ...]
    """Colours of categories, from the palette of Okabe and Ito, which people with any form of
    colour blindness can distinguish."""

    def lighten(self, colour: str) -> str:
        """Return a colour as it looks when it covers about a third of the paper."""
        parts = [
            round(0.35 * int(colour[i : i + 2], 16) + 0.65 * int(self.paper[i : i + 2], 16))
            for i in (1, 3, 5)
        ]
        return "#" + "".join(f"{part:02x}" for part in parts)

    @property
    def blue(self) -> str:
        """The colour of these sources, and of a better model."""
        return self.series[0]

    @property
    def vermilion(self) -> str:
        """The colour of a new source, and of a worse model."""
        return self.series[1]

    @property
    def green(self) -> str:
        """The colour of these models, and of equivalence."""
        return self.series[2]

    @property
    def purple(self) -> str:
        """The colour of a new population."""
        return self.series[3]


PALETTES: Final[dict[Theme, Palette]] = {
    "light": Palette(
        paper="#ffffff",
        ink="#1a1c1f",
        faint="#5c6370",
        grid="#e3e5e8",
        series=(
            "#0072b2",
            "#d55e00",
            "#009e73",
            "#b5578f",
            "#b98300",
            "#2f9bd1",
            "#7a7a7a",
            "#6b4c9a",
        ),
    ),
    "dark": Palette(
        paper="#16181c",
        ink="#eceef1",
        faint="#a5acb8",
        grid="#363b44",
        series=(
            "#58a9e6",
            "#f28c4b",
            "#2ec59a",
            "#e08fbf",
            "#e6b23c",
            "#9bd4f5",
            "#b0b0b0",
            "#b39ddb",
        ),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a figure is drawn, apart from its numbers."""

    theme: Theme = "light"
    """``light`` or ``dark``."""
    width: int = USUAL_WIDTH
    """Width of the whole picture in pixels, about; from 320 to 2000."""
    has_caption: bool = False
    """Whether the caption is part of the picture, below its title."""
    x_domain: tuple[float, float] | None = None
    """Values that the horizontal axis of a forest plot covers at least, so that two figures side by
    side can share an axis."""

    @property
    def palette(self) -> Palette:
        """The colours of the theme."""
        return PALETTES[self.theme]

    @property
    def label_limit(self) -> int:
        """Longest label of a row, in pixels."""
        return round(LABEL_SHARE * self.width)

    def shorten_labels(self, *, are_small: bool = False) -> Json:
        """Return the fields of an axis that shorten its labels in the middle.

        The ends stay, because names such as ``ridge[penalty=0.001]`` differ there.
        """
        font_size = SMALL_LABEL_SIZE if are_small else LABEL_SIZE
        n = max(5, int(self.label_limit / (WIDE_LETTER * font_size / LABEL_SIZE)))
        n_first = n // 3
        shortened = (
            f"slice(datum.label, 0, {n_first}) + '…' + slice(datum.label, {n_first + 1 - n})"
        )
        return {
            "labelLimit": self.label_limit,
            "labelFontSize": font_size,
            "labelExpr": f"length(datum.label) > {n} ? {shortened} : datum.label",
        }

    def colour_bars(self, field: str, words: Sequence[str], colours: Sequence[str]) -> Json:
        """Return the colour channel of bars, with a legend where there are several colours."""
        legend = {
            "symbolType": "stroke",
            "symbolStrokeWidth": 4,
            "columns": self.count_legend_columns(words),
        }
        return {
            "field": field,
            "type": "nominal",
            "scale": {"domain": list(words), "range": list(colours)},
            "title": None,
            "legend": legend if len(words) > 1 else None,
        }

    def count_legend_columns(self, names: Iterable[str], symbol: int = 45) -> int:
        """Return how many entries of a legend with symbols of a width fit beside one another."""
        widest = max((LETTER * len(name) for name in names), default=0.0) + symbol
        return max(1, int((self.width - 60) // widest))

    def fit_height(self, height: float) -> Json:
        """Return the fields that make a plot with its labels exactly as wide as the picture.

        The height is that of the plot alone; of rows it is their number times the height of one,
        because Vega-Lite warns where a width that is fitted meets a height by steps.
        """
        autosize = {"type": "fit-x", "contains": "padding"}
        return {"width": self.width, "height": round(height), "autosize": autosize}


def build_config(palette: Palette) -> Json:
    """Return the part of a specification that sets fonts, sizes and colours."""
    text = {"labelColor": palette.ink, "titleColor": palette.ink}
    return {
        "font": FONT,
        "background": palette.paper,
        "padding": PADDING,
        "view": {"stroke": None},
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "fontSize": TITLE_SIZE,
            "fontWeight": "bold",
            "color": palette.ink,
            "subtitleColor": palette.faint,
            "subtitleFontSize": 12,
            "subtitleLineHeight": 16,
            "offset": 12,
        },
        "axis": {
            **text,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "domainColor": palette.faint,
            "tickColor": palette.faint,
            "gridColor": palette.grid,
            "labelLimit": 0,
            "labelPadding": 5,
        },
        "legend": {
            **text,
            "orient": "bottom",
            "direction": "horizontal",
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": 0,
            "symbolStrokeWidth": 2,
            "symbolOpacity": 1,
            "columnPadding": 16,
        },
        "header": {**text, "labelFontSize": 12, "titleFontSize": 12},
        "text": {"color": palette.ink, "fontSize": 12},
        "rule": {"color": palette.ink},
    }


def choose_target_colour(target: str, palette: Palette) -> str:
    """Return the colour of a target, which is the same in every figure."""
    return {
        Target.THESE_SOURCES: palette.blue,
        Target.NEW_SOURCE: palette.vermilion,
        Target.THESE_MODELS: palette.green,
        Target.NEW_POPULATION: palette.purple,
    }[Target(target)]
