"""Grades that a judge gave to rows of which only some have labels."""

from __future__ import annotations

from typing import NamedTuple

from thetahat.values.types import FloatArray, IntArray, Label, Sampled


class JudgeDesign(NamedTuple):
    """What the labels and grades of all models share; the layout has the labelled rows."""

    sampled: Sampled
    """How the labelled rows were found."""
    n_unlabelled: int
    """Number of rows without a label."""
    weight: float | None = None
    """The weight of the judge, 0 to 1; None tunes it."""
    half_width: float | None = None
    """The half width of intervals for which the number of labels is planned."""
    stratum: IntArray | None = None
    """(n,) codes of the strata of the labelled rows."""
    stratum_unlabelled: IntArray | None = None
    """(N,) codes of the strata of the other rows."""
    stratum_labels: tuple[Label, ...] = ()
    """Labels of the codes."""
    cluster_unlabelled: IntArray | None = None
    """(N,) codes of the clusters of the other rows."""
    order: IntArray | None = None
    """(n + N,) numbers of all rows as they were sent, the labelled ones first."""

    def explain_disuse(self) -> str | None:
        """Return why the grades cannot be used, or None if they can."""
        if self.sampled == "chosen":
            return "the labelled rows were chosen, so they do not show how the judge errs elsewhere"
        if self.n_unlabelled == 0:
            return "every row has a label"
        return None


class JudgeGrades(NamedTuple):
    """The grades of one model, or the differences of those of two."""

    labelled: FloatArray
    """(n,) grades of the rows with labels."""
    unlabelled: FloatArray
    """(N,) grades of the others."""

    def minus(self, other: JudgeGrades) -> JudgeGrades:
        """Return the differences of two models' grades."""
        return JudgeGrades(
            labelled=self.labelled - other.labelled, unlabelled=self.unlabelled - other.unlabelled
        )
