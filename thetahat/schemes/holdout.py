"""One random test set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.schemes._test_sizes import (
    check_test_size,
    count_test_units,
    draw_cluster_split,
    draw_split,
)
from thetahat.schemes.base import Rows, Scheme, Splits


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdout(Scheme):
    r"""The rows are split once, at random, into a training and a test part.

    :math:`\mu` in the formula is the test size; :math:`n_2` is kept between 1 and n - 1. The term
    1e-9 undoes the rounding errors of products such as 0.07 x 100. ``whole_clusters`` is the
    blocking by group of roberts2017.

    Parameters
    ----------
    test_size : float or int
        :math:`\mu`, the share of the rows to test on, in (0, 1); or a whole number from 1 to
        n - 1, which is their count. With ``whole_clusters`` it is of the clusters, and n is how
        many there are: parts are as large as the clusters that fall into them.
    whole_clusters : bool
        Whether all rows of a cluster are in the same part. This is necessary if the model will be
        used for clusters that it was not trained on.
    """

    test_size: float | int = 0.25
    whole_clusters: bool = False

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Holdout",
        summary=(
            "One random test set, of rows or of whole clusters, and one model trained on the rest. "
            "The mean is about that model, not about the learner."
        ),
        formula=r"n_2 = \lceil \mu n - 10^{-9} \rceil \text{ test rows for the share } \mu",
        references=("arlot2010", "roberts2017"),
        assumptions="Rows are exchangeable, or with whole_clusters the clusters are.",
        errs=(
            "Each model is trained on fewer rows than there are, so the error of a model trained "
            "on all rows is overestimated. One split does not show how much results change with "
            "other training data. With rows of one cluster in both parts, the error for a new "
            "cluster is underestimated."
        ),
        blocks=HOLDOUT,
    )

    def __post_init__(self) -> None:
        check_test_size(self.test_size)

    @property
    def requires(self) -> frozenset[str]:
        """The clusters, where they stay whole."""
        return frozenset({"cluster"} if self.whole_clusters else ())

    def n_splits(self, rows: Rows) -> int:
        """Return 1, the number of splits."""
        if self.whole_clusters:
            draw_cluster_split(rows, self.test_size, self.info.name, 0, 0)
        else:
            count_test_units(self.test_size, rows.n)
        return 1

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the only split."""
        draws = range(1)[start:stop]
        if self.whole_clusters:
            size, name = self.test_size, self.info.name
            return iter([draw_cluster_split(rows, size, name, seed, draw) for draw in draws])
        n_test = count_test_units(self.test_size, rows.n)
        return (draw_split(rows.n, n_test, seed, draw) for draw in draws)
