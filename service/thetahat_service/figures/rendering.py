"""Vega-Lite specifications as SVG, PNG and PDF, by vl-convert; nothing is fetched."""

from __future__ import annotations

import re
from typing import Final, Literal
from xml.sax.saxutils import escape, unescape

from thetahat_service.figures.letter_widths import measure_text
from thetahat_service.figures.style import Json

FigureFormat = Literal["svg", "png", "pdf"]
_GRADIENT: Final = re.compile(r'(id="gradient_|="url\(#gradient_)(\d+)')
PIXELS_PER_POINT: Final = 2.0
"""PNG images have this many pixels for each pixel of the specification."""


def render(spec: Json, form: FigureFormat) -> bytes:
    """Return a specification as an image; the same specification gives the same image.

    The first call loads a JavaScript engine, which takes half a second and 100 MB.
    """
    import vl_convert  # noqa: PLC0415 - heavy

    if form == "png":
        return vl_convert.vegalite_to_png(
            spec, vl_version=VERSION, scale=PIXELS_PER_POINT, allowed_base_urls=[]
        )
    if form == "pdf":
        return vl_convert.vegalite_to_pdf(spec, vl_version=VERSION, allowed_base_urls=[])
    svg = vl_convert.vegalite_to_svg(spec, vl_version=VERSION, allowed_base_urls=[])
    return _add_words(_renumber_gradients(svg), spec).encode()


def _renumber_gradients(svg: str) -> str:
    """Return the SVG with its gradients counted from 0, as in the first figure that is drawn."""
    numbers: dict[str, int] = {}

    def replace(match: re.Match[str]) -> str:
        return f"{match[1]}{numbers.setdefault(match[2], len(numbers))}"

    return _GRADIENT.sub(replace, svg)


def bundle_library() -> bytes:
    """Return the script that gives a page ``vegaEmbed``."""
    import vl_convert  # noqa: PLC0415 - heavy

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VERSION).encode()


def _add_words(svg: str, spec: Json) -> str:
    """Return the SVG with the title and the description that screen readers read."""
    title = spec["usermeta"]["title"]
    opening, _, remainder = svg.partition(">")
    words = f"<title>{escape(title)}</title><desc>{escape(spec['description'])}</desc>"
    return f'{opening} role="img">{words}{_TEXT.sub(_fix_widths, remainder)}'


def _fix_widths(match: re.Match[str]) -> str:
    """Return a text of an SVG, of one or several lines, with the widths of its layout.

    A viewer that has none of the fonts then makes the letters of another one fit.
    """
    size = _SIZE.search(match[1])
    is_bold = 'font-weight="bold"' in match[1]

    def fix(line: re.Match[str]) -> str:
        width = size and measure_text(unescape(line[2]), float(size[1]), is_bold=is_bold)
        if not width:
            return line[0]
        return f'{line[1]} textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs">{line[2]}<'

    return _LINE.sub(fix, match[0])


_TEXT: Final = re.compile(r"<text([^>]*)>.*?</text>")
_LINE: Final = re.compile(r"(<t(?:ext|span)[^>]*)>([^<]+)<")
_SIZE: Final = re.compile(r'font-size="([\d.]+)px"')
VERSION: Final = "6.4"
"""The version of Vega-Lite that the specifications are written for."""
