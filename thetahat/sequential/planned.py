"""Looks that were planned: group sequential boundaries."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

import scipy

from thetahat import special_functions as special
from thetahat.errors import InvalidParameter
from thetahat.parameter_checks import MAX_ROWS, check_range, require
from thetahat.registry import MethodInfo
from thetahat.sequential._boundaries import (
    find_boundaries,
    find_equal_boundaries,
    spend_obrien_fleming,
    spend_pocock,
)
from thetahat.sequential._moments import RunningMoments
from thetahat.sequential.asymptotic import LEAST_ROWS, explain_too_few
from thetahat.sequential.base import LookOutcome, SequentialMethod, SequentialQuestion
from thetahat.values.types import FloatArray

MOST_LOOKS: Final = 20
SMALLEST_ALPHA, LARGEST_ALPHA = 1e-12, 0.999
EQUAL: Final = 1e-9
"""Shares that differ by less are the same."""


@dataclass(frozen=True, slots=True)
class Planned(SequentialMethod):
    """Looks that were planned: group sequential boundaries.

    The interval of a look is the repeated confidence interval: the mean and the critical value
    times the standard error. Its p-value is the least error at which the look would have crossed
    its boundary.

    Parameters
    ----------
    rows : int
        Number of rows at the last look.
    looks : tuple of float
        Shares of the rows at which to look, ascending, the last one 1; at most 20.
    boundary : str
        ``obrien_fleming_spending`` or ``pocock_spending``: the error is spent by a function of the
        share of the rows, so that a look may come later than planned. ``obrien_fleming`` or
        ``pocock``: the classical boundaries of equally spaced looks.
    """

    rows: int
    looks: tuple[float, ...] = (0.25, 0.5, 0.75, 1.0)
    boundary: Literal["obrien_fleming_spending", "pocock_spending", "obrien_fleming", "pocock"] = (
        "obrien_fleming_spending"
    )

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Planned looks",
        summary=(
            "Intervals at a few looks that were planned before the first row, by group sequential "
            "boundaries; with the same rows they are shorter than those of every row."
        ),
        formula=r"\hat\mu_k \pm c_k \hat\sigma_k / \sqrt{n_k}",
        references=("lan1983", "jennison2000"),
        assumptions=(
            "Rows are independent with the same mean, enough of them for a normal mean at each "
            "look. The looks do not depend on what was seen."
        ),
        errs=(
            "Slightly too short at a first look after few rows of skewed values. Far too short if "
            "rows of a cluster are sent as independent ones: with ten rows a cluster and "
            "correlation .3, one of ten intervals of level .95 misses the mean in .43 of all "
            "series."
        ),
    )

    def __post_init__(self) -> None:
        check_range("rows", self.rows, LEAST_ROWS, MAX_ROWS)
        shares = self.looks
        ascending = all(low < high for low, high in itertools.pairwise((0.0, *shares)))
        require(
            bool(shares) and ascending and shares[-1] == 1,
            "looks",
            shares,
            "must be shares above 0 in ascending order, and the last one 1",
        )
        require(len(shares) <= MOST_LOOKS, "looks", shares, f"must be at most {MOST_LOOKS} shares")
        require(
            self._plan_rows()[0] >= LEAST_ROWS,
            "looks",
            shares,
            f"must not begin before row {LEAST_ROWS}",
        )
        is_equal = all(
            abs(share - (k + 1) / len(shares)) <= EQUAL for k, share in enumerate(shares)
        )
        require(
            is_equal or self._spends,
            "looks",
            shares,
            f"must be equally spaced with the boundary {self.boundary}; the boundaries that spend "
            "by a function, such as obrien_fleming_spending, allow other shares",
        )

    @property
    def _spends(self) -> bool:
        return self.boundary.endswith("_spending")

    def begin(self) -> dict[str, Any]:
        """Return the state before the first row."""
        return {"moments": RunningMoments.begin().to_json(), "made": []}

    def advance(
        self, state: Mapping[str, Any], values: FloatArray, question: SequentialQuestion
    ) -> tuple[dict[str, Any], LookOutcome]:
        """Return the state and the outcome after the values of one more batch."""
        before = RunningMoments(**state["moments"])
        moments = before.add(values)
        due = [n for n in self._plan_rows() if before.n < n <= moments.n]
        if due and not self._spends and (len(due) > 1 or due[0] < moments.n):
            raise InvalidParameter(
                f"The next planned look is after row {due[0]}, and there are {before.n} rows. Send "
                f"at most {due[0] - before.n} now: the boundary {self.boundary} is for looks at "
                "exactly the planned rows.",
                loc=("losses",),
            )
        made: list[int] = list(state["made"])
        reason = "" if due else self._explain_wait(moments.n)
        reason = reason or explain_too_few(moments, 0)
        n, mean, deviation = moments.n, moments.mean, moments.standard_deviation
        if reason:
            after = {"moments": moments.to_json(), "made": made}
            has_rows = n > 0
            return after, LookOutcome(
                n=n,
                estimate=mean if has_rows else None,
                standard_deviation=deviation if has_rows else None,
                reason=reason,
            )
        made.append(n)
        critical = self._find_critical(made, 1 - question.level)
        error = deviation / math.sqrt(n)
        z = abs(mean - question.reference) / error
        outcome = LookOutcome(
            n=n,
            estimate=mean,
            standard_deviation=deviation,
            lower=mean - critical * error,
            upper=mean + critical * error,
            p_value=self._find_p_value(made, z),
        )
        return {"moments": moments.to_json(), "made": made}, outcome

    def is_over(self, state: Mapping[str, Any]) -> bool:
        """Return whether the last planned look was made."""
        return int(state["moments"]["n"]) >= self.rows

    def foresee(
        self, n: int, mean: float, standard_deviation: float, question: SequentialQuestion
    ) -> tuple[float, float] | None:
        """Return the interval at a planned look; None at other numbers of rows."""
        planned = self._plan_rows()
        if n not in planned:
            return None
        critical = self._find_critical(list(planned[: planned.index(n) + 1]), 1 - question.level)
        reach = critical * standard_deviation / math.sqrt(n)
        return mean - reach, mean + reach

    def list_looks(self) -> tuple[int, ...] | None:
        """Return the numbers of rows at which looks are planned."""
        return self._plan_rows()

    def compute_conditional_power(
        self,
        state: Mapping[str, Any],
        least: float | None,
        most: float | None,
        question: SequentialQuestion,
    ) -> float | None:
        """Return the probability that the last interval lies between two bounds."""
        moments = RunningMoments(**state["moments"])
        share = moments.n / self.rows
        if not 0 < share < 1 or moments.squares == 0:
            return None
        to_come = [n for n in self._plan_rows() if n > moments.n]
        critical = self._find_critical([*state["made"], *to_come], 1 - question.level)
        error = moments.standard_deviation / math.sqrt(self.rows)
        spread = error * math.sqrt(1 - share)
        reach = critical * error
        above = 1.0 if most is None else special.ndtr((most - reach - moments.mean) / spread)
        below = 0.0 if least is None else special.ndtr((least + reach - moments.mean) / spread)
        return max(float(above - below), 0.0)

    def _plan_rows(self) -> tuple[int, ...]:
        return tuple(math.ceil(share * self.rows - EQUAL) for share in self.looks)

    def _explain_wait(self, n: int) -> str:
        following = next((planned for planned in self._plan_rows() if planned > n), None)
        if following is None:
            return "The last planned look is over."
        return f"There are {n} rows, and the next planned look is after row {following}."

    def _find_critical(self, made: list[int], alpha: float) -> float:
        """Return the critical value of the last of these looks."""
        if not self._spends:
            bounds = find_equal_boundaries(
                len(self.looks), alpha, two_sided=True, is_pocock=self.boundary == "pocock"
            )
            return bounds[self._plan_rows().index(made[-1])]
        spend = spend_pocock if self.boundary == "pocock_spending" else spend_obrien_fleming
        spent = [2 * spend(n / self.rows, alpha / 2) for n in made]
        return find_boundaries(made, spent, two_sided=True)[-1]

    def _find_p_value(self, made: list[int], z: float) -> float:
        def exceed(log_alpha: float) -> float:
            return self._find_critical(made, math.exp(log_alpha)) - z

        low, high = math.log(SMALLEST_ALPHA), math.log(LARGEST_ALPHA)
        if exceed(low) <= 0:
            return SMALLEST_ALPHA
        if exceed(high) >= 0:
            return 1.0
        return math.exp(scipy.optimize.brentq(exceed, low, high, xtol=1e-6))
