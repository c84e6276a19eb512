"""Training parts drawn with replacement, tested on what they leave out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import TRAINED_ON_RESAMPLES, Caution
from thetahat.registry import SUBSAMPLES, MethodInfo
from thetahat.schemes._class_draws import RowsToDraw, caution_about_repeated_draws
from thetahat.schemes._partitions import check_two_rows
from thetahat.schemes._test_sizes import check_count
from thetahat.schemes.base import Rows, Scheme, Split, Splits
from thetahat.seeds import make_random_stream
from thetahat.values.types import IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapScheme(Scheme):
    r"""B training parts of n rows, drawn with replacement, each tested on the rows left out.

    :math:`E_b` is the mean loss of the rows that resample b does not hold, about :math:`(1 - 1/n)^n
    \approx .368` of all. A row that is drawn twice is trained on twice. A resample that leaves
    nothing out, or that has one class only while the data have more, is drawn again.

    The training size of a split, :math:`n_1` of the corrected resampled variance, is the number of
    different rows in the resample, so that :math:`n_1 + n_2 = n` as for draws without replacement.
    With :math:`n_1 = n` the variance would be too small by a quarter and more.

    Deviations: ``macro`` is the average over resamples and ``pooled`` the one over all test rows of
    all resamples. The source's :math:`\epsilon_0` is the pooled one.

    Degenerate cases: with two rows every other resample is drawn again.

    Parameters
    ----------
    n_resamples : int
        B, at least 2. With a larger B the first resamples stay the same.
    """

    n_resamples: int = 50

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Bootstrap with out-of-bag tests",
        summary=(
            "Each model is trained on as many rows as there are, drawn with replacement, and "
            "tested on the rows that were not drawn."
        ),
        formula=r"E = \frac1B \sum_{b=1}^B E_b",
        references=("efron1983",),
        assumptions="Rows are exchangeable.",
        errs=(
            "A resample holds .632 n different rows on average, so the error of a model trained on "
            "all rows is overestimated, about as much as by two-fold cross-validation. Test parts "
            "overlap, and more resamples add no new data."
        ),
        blocks=SUBSAMPLES,
    )
    cautions: ClassVar[tuple[Caution, ...]] = (TRAINED_ON_RESAMPLES(),)

    def __post_init__(self) -> None:
        check_count("n_resamples", self.n_resamples)

    def n_splits(self, rows: Rows) -> int:
        """Return B, the number of resamples."""
        check_two_rows(rows.n)
        RowsToDraw.read(rows).check_size(3, "the scheme bootstrap")
        return self.n_resamples

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the splits; ``train`` repeats a row as often as it was drawn."""
        wanted, to_draw = range(self.n_splits(rows))[start:stop], RowsToDraw.read(rows)
        return (_draw_split(to_draw, seed, b)[0] for b in wanted)

    def find_draw_cautions(self, rows: Rows, seed: int) -> tuple[Caution, ...]:
        """Return the caution that resamples with one class were drawn again, if any were."""
        to_draw = RowsToDraw.read(rows)
        if not to_draw.codes:
            return ()
        n_again = sum(_draw_split(to_draw, seed, b)[1] for b in range(self.n_resamples))
        return caution_about_repeated_draws(n_again, self.n_resamples)


def _draw_split(rows: RowsToDraw, seed: int, b: int) -> tuple[Split, int]:
    """Return a split, and the number of draws before it that had one class."""
    n, rng = rows.n, make_random_stream(seed, "folds", b)

    def draw() -> IntArray:
        while True:  # ends: at least every other resample of two rows or more leaves one out
            times = np.bincount(rng.integers(0, n, n), minlength=n)
            if not times.all():
                return times

    times, n_again = rows.draw(draw, lambda times: rows.count_classes(np.flatnonzero(times)) > 1)
    train = np.repeat(np.arange(n, dtype=np.intp), times)
    return Split(0, b, b, train, np.flatnonzero(times == 0)), n_again
