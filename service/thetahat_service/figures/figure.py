"""A figure of a result: its words, and its Vega-Lite specification in any style."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from thetahat_presentation.hidden_characters import show_hidden_in
from thetahat_service.figures.letter_widths import measure_text
from thetahat_service.figures.style import PADDING, TITLE_SIZE, Json, Style, build_config

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
_LETTER: Final = 5.7
"""Average width of a letter of a caption, in pixels."""

Result = Mapping[str, Any]
"""The JSON of a result, as ``GET .../result`` returns it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a result."""

    name: str
    """Its name in addresses: lower-case letters, digits and underscores."""
    title: str
    """What it shows, in a few words."""
    caption: str
    """How to read it, what the bars are, and how many numbers they rest on."""
    alt: str
    """What is seen, for those who do not see it."""
    about: tuple[str, ...] = ()
    """The models or learners that it is about; empty if it is about all of them."""
    x_domain: tuple[float, float] | None = None
    """Ends of its horizontal axis, where they can be moved outwards by the style."""
    view: Callable[[Style], Json]
    """Returns the marks, axes and data as Vega-Lite in a style, without title and colours."""

    def build_spec(self, style: Style) -> Json:
        """Return the whole Vega-Lite specification."""
        title: Json = {"text": wrap_title(self.title, style.width)}
        if style.has_caption:
            letters = max(30, int((style.width - 30) / _LETTER))
            title["subtitle"] = textwrap.wrap(self.caption, letters)
        view = self.view(style)
        shared = build_config(style.palette)
        shared["axis"]["tickCount"] = max(3, min(7, style.width // 90))
        shared["axisQuantitative"] = {"labelOverlap": "greedy"}
        for part, options in view.pop("config", {}).items():
            shared[part] = {**shared.get(part, {}), **options}
        spec = {
            "$schema": SCHEMA,
            "description": self.alt,
            "title": title,
            "config": shared,
            "usermeta": {"name": self.name, "title": self.title, "caption": self.caption},
            **view,
        }
        return show_hidden_in(spec)


WIDER_FONT: Final = 1.15
"""How much wider the letters of a browser's own font may be, in a chart that it draws."""


def wrap_title(title: str, width: int) -> str | list[str]:
    """Return a title, in several lines if one is too long for the width of the picture."""
    room = width - 2 * PADDING
    letters = len(title)
    length = measure_text(title, TITLE_SIZE, is_bold=True) or letters * TITLE_SIZE
    length *= WIDER_FONT
    if length <= room:
        return title
    return textwrap.wrap(title, max(10, int(letters * room / length * 0.95)))


def clean_name(name: str) -> str:
    """Return a name with small letters, digits and underscores only, for that of a figure."""
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in name.lower())
