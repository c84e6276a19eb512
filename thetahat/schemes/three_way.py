"""Training, validation and test set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.schemes._test_sizes import check_test_size, count_test_units, draw_split
from thetahat.schemes.base import Rows, Scheme, Splits
from thetahat.schemes.holdout import Holdout


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeWay(Scheme):
    r"""The rows are split once, at random, into a training, a validation and a test set.

    :math:`\mu` and :math:`\nu` in the formula are the test size and the validation size. In a
    ``selection`` every candidate is trained on the training set and assessed on the validation set;
    the best is trained again on both, and assessed once on the test set. Where nothing is selected
    the first two sets are used for training together, and it is a ``holdout``.

    Parameters
    ----------
    validation_size, test_size : float or int
        :math:`\nu` and :math:`\mu`: shares of all rows, in (0, 1), or numbers of rows from 1; a
        row to learn from must be left. The test set is that of ``holdout`` with the same seed
        and size.
    """

    validation_size: float | int = 0.25
    test_size: float | int = 0.25

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Training, validation and test set",
        summary=(
            "One random test set. In a selection the other rows are divided into a part for "
            "training the candidates and a part for choosing the best, which is then trained on "
            "both."
        ),
        formula=(
            r"n_2 = \lceil \mu n - 10^{-9} \rceil, \qquad n_v = \lceil \nu n - 10^{-9} \rceil"
            r" \text{ test and validation rows for the shares } \mu, \nu"
        ),
        references=("ripley1996",),
        assumptions="Rows are exchangeable, and nothing is changed after the test set was used.",
        errs=(
            "How much results change with other training data or other choices is not seen. The "
            "error of the chosen candidate on the validation set is too small; that on the test "
            "set is not."
        ),
        blocks=HOLDOUT,
    )

    def __post_init__(self) -> None:
        check_test_size(self.test_size)
        try:
            check_test_size(self.validation_size)
        except InvalidParameter as error:
            message = error.message.replace("test_size", "validation_size", 1)
            where = ("validation_size",)
            raise InvalidParameter(message, loc=where, value=error.value) from None

    def n_splits(self, rows: Rows) -> int:
        """Return 1, the number of splits."""
        self._read_sizes(rows)
        return 1

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the one pair: training and validation set together, and the test set."""
        n_test, _ = self._read_sizes(rows)
        return (draw_split(rows.n, n_test, seed, draw) for draw in range(1)[start:stop])

    def internal(self, rows: Rows) -> Scheme:
        """Return the split of a training part into training and validation set."""
        inner: Any = Holdout(
            test_size=self._read_sizes(rows)[1]
        )  # mypy wants requires of the class
        scheme: Scheme = inner
        return scheme

    def _read_sizes(self, rows: Rows) -> tuple[int, int]:
        n_test, n_validation = (
            count_test_units(s, rows.n) for s in (self.test_size, self.validation_size)
        )
        if n_test + n_validation >= rows.n:
            raise InsufficientData(
                f"{n_validation} rows to validate on and {n_test} to test on leave none of "
                f"{rows.n} to learn from.",
                loc=("validation_size",),
                value=self.validation_size,
            )
        return n_test, n_validation
