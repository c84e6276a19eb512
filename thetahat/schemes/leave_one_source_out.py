"""Leave-one-source-out cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.errors import InsufficientData
from thetahat.registry import SOURCES, MethodInfo
from thetahat.schemes._partitions import get_column, yield_partition_splits
from thetahat.schemes.base import Rows, Scheme, Splits
from thetahat.tables.labels import encode_labels
from thetahat.values.types import IntArray, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneSourceOut(Scheme):
    """Each source is the test set once, of a model trained on all the other sources.

    geras2013 calls it multiple-source cross-validation (CVS). Blocks are named by their source and
    come in order of first appearance. Nothing is drawn: the seed does not matter.

    Degenerate cases: a source with one row is a block of one instance; variances that need the
    variance within blocks then do not apply.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Leave-one-source-out cross-validation",
        summary=(
            "One split per source (subject, site, domain): the model is trained on all other "
            "sources and tested on this one. The mean is about a source that is not in the data."
        ),
        references=("geras2013",),
        assumptions="The sources are a sample of the sources to come.",
        errs=(
            "Each model is trained on one source fewer than the final one, so the error for a new "
            "source is somewhat overestimated. Sources of very different size make training parts "
            "of very different size."
        ),
        blocks=SOURCES,
    )
    requires: ClassVar[frozenset[str]] = frozenset({"source"})

    def n_splits(self, rows: Rows) -> int:
        """Return the number of sources."""
        return len(self._read_sources(rows)[1])

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield one split for each source."""
        del seed  # nothing is drawn
        codes, labels = self._read_sources(rows)
        return yield_partition_splits(lambda _repeat: codes, labels, 1, start, stop)

    def _read_sources(self, rows: Rows) -> tuple[IntArray, tuple[Label, ...]]:
        codes, labels = encode_labels(get_column(rows, "source", self.info.name))
        if len(labels) < 2:
            raise InsufficientData(
                f"All rows come from one source, {labels[0]!r}. Leaving it out leaves nothing to "
                "learn from.",
                loc=("columns", "source"),
                value=labels[0],
            )
        return codes, labels
