"""Vega-Lite specifications as SVG, PNG and PDF, by vl-convert; nothing is fetched."""

from __future__ import annotations

from typing import Final, Literal
from xml.sax.saxutils import escape

from service.figures.style import Json

FigureFormat = Literal["svg", "png", "pdf"]
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
    return _with_words(svg, spec).encode()


def bundle_library() -> bytes:
    """Return the script that gives a page ``vegaEmbed``."""
    import vl_convert  # noqa: PLC0415 - heavy

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VERSION).encode()


def _with_words(svg: str, spec: Json) -> str:
    """Return the SVG with the title and the description that screen readers read."""
    title = spec["title"]["text"]
    opening, _, rest = svg.partition(">")
    words = f"<title>{escape(title)}</title><desc>{escape(spec['description'])}</desc>"
    return f'{opening} role="img">{words}{rest}'


VERSION: Final = "6.4"
"""The version of Vega-Lite that the specifications are written for."""
