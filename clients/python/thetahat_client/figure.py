"""A figure of a result, which a notebook shows."""

from __future__ import annotations

from typing import Final, Literal, Self, TypeAlias

FigureFormat: TypeAlias = Literal["svg", "png", "pdf"]
MEDIA_TYPES: Final[dict[FigureFormat, str]] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
}


class FigureImage(bytes):
    """The bytes of a figure's file; a notebook shows SVG and PNG.

    Parameters
    ----------
    content : bytes
        The file.
    name : str
        Name of the figure in its result.
    format : str
        ``svg``, ``png`` or ``pdf``.
    """

    name: str
    format: FigureFormat

    def __new__(cls, content: bytes, name: str, format: FigureFormat) -> Self:  # noqa: A002 - as in Client.figure
        """Return the figure."""
        figure = super().__new__(cls, content)
        figure.name = name
        figure.format = format
        return figure

    def __getnewargs__(self) -> tuple[bytes, str, FigureFormat]:  # type: ignore[override]
        """Return the arguments with which a copy is made."""
        return bytes(self), self.name, self.format

    def __repr__(self) -> str:
        """Return name and size, not the bytes."""
        return f"FigureImage({self.name!r}, {self.format!r}, {len(self)} bytes)"

    def _repr_svg_(self) -> str | None:
        return self.decode() if self.format == "svg" else None

    def _repr_png_(self) -> bytes | None:
        return bytes(self) if self.format == "png" else None
