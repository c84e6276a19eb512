"""What every result in Python does: a short representation, its findings, frames and a plot.

The results of the library and of the client are of different types; this is what they share. The
modules that write a document are imported when something is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thetahat_presentation.result_frames import FramePackage, FramePart


class ShownResult:
    """A result that is printed, shown in a notebook, and turned into frames.

    A subclass defines ``to_dict``.
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values, with the field names of the service."""
        raise NotImplementedError

    def to_text(self, width: int = 96, *, show_all: bool = False) -> str:
        """Return the findings: the verdict, its tables, and what they do not say.

        Parameters
        ----------
        width : int
            Characters of the longest line of prose.
        show_all : bool
            Whether to return every sentence, row and caution.
        """
        from thetahat_presentation.result_texts import write_text  # noqa: PLC0415 - when shown

        return write_text(self.to_dict(), width, show_all=show_all)

    def frame(
        self,
        part: FramePart = "models",
        *,
        target: str | None = None,
        package: FramePackage | None = None,
    ) -> Any:
        """Return a data frame with one row for each model, or for each pair of models.

        Parameters
        ----------
        part : {"models", "comparisons"}
            ``models`` has mean, standard error, ends of the recommended interval, and what it is
            about; the best model is first. ``comparisons`` has difference, ends of the interval,
            p-values and decision.
        target : str or None
            What the intervals of the models are about, such as ``these_sources``; None for the
            target of the verdicts.
        package : {"pandas", "polars", "pyarrow"} or None
            Whose frame it is; None for the first of these that the program has imported, or else
            that is installed.

        Raises
        ------
        ImportError
            The package is not installed, or none of them is.
        """
        from thetahat_presentation.result_frames import make_frame, tabulate_result  # noqa: PLC0415 - only for frames

        return make_frame(tabulate_result(self.to_dict(), part, target), package)

    def plot(self, axes: Any = None) -> Any:
        """Draw each model's mean with its interval for the verdict's question; return the axes.

        Parameters
        ----------
        axes : matplotlib.axes.Axes or None
            Where it is drawn; None for a new figure.

        Raises
        ------
        ImportError
            matplotlib is not installed.
        ValueError
            The findings have no intervals of models.
        """
        from thetahat_presentation.forest_plot import draw_forest  # noqa: PLC0415 - for plots
        from thetahat_presentation.result_texts import build_document  # noqa: PLC0415 - likewise

        return draw_forest(build_document(self.to_dict()), axes)

    def __repr__(self) -> str:
        """Return the models and the verdict, in two lines."""
        from thetahat_presentation.result_texts import write_outline  # noqa: PLC0415 - when shown

        return write_outline(type(self).__name__, self.to_dict())

    def __str__(self) -> str:
        """Return the findings as text."""
        return self.to_text()

    def _repr_html_(self) -> str:
        from thetahat_presentation.result_texts import write_html  # noqa: PLC0415 - when shown

        return write_html(self.to_dict())
