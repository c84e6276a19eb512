"""The options of an evaluation: methods, level, margin, correction and so on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import partial
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.losses.result import GateOutcome, Requirement
from thetahat.analyses.losses.result_parts import Include, ResultPart, read_parts
from thetahat.corrections import CORRECTION_WITH_ONE_MODEL, CORRECTIONS, DEFAULT_CORRECTION
from thetahat.distributions import compute_alpha
from thetahat.errors import InvalidParameter, run_checks
from thetahat.intervals.base import IntervalMethod
from thetahat.multiple_tests.base import OmnibusTest
from thetahat.paired_tests.base import PairedTest
from thetahat.parameter_checks import check_level
from thetahat.similar_names import suggest_name
from thetahat.values.block_nouns import BlockNoun, read_noun
from thetahat.values.types import Alternative, BlockKind, Target
from thetahat.variances.base import VarianceEstimator

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)

UNITS: Final = ("instance", "cluster", "block")
"""Units that a test can pair."""

WhichPairs = Literal["all", "best"]
PAIRS: Final = ("all", "best")
"""Which pairs of models are compared."""

MOST_MODELS_OF_ALL_PAIRS: Final = 8
"""Largest number of models of which all pairs are compared by default.

Of normal losses of 200 rows, with half of the models worse than the others by 3.5 standard errors,
Holm's correction over all pairs finds a worse one beside the best in .89, .90, .89 and .86 of the
cases with 3, 8, 12 and 30 models, and max_t in .89, .92, .91 and .89. Up to eight models, whose 28
verdicts can be read, the pairs without the best cost little; 30 models have 435, which take seven
times as long to compute.
"""


class ChosenMethod(NamedTuple, Generic[M_co]):
    """One method of an evaluation."""

    key: str
    """Its key in the result: the request's ``as``, or the name."""
    name: str
    """Wire name."""
    method: M_co
    """The method with its parameters."""
    place: int | None = None
    """Its position in the request's list, for the path of an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The requirement that a model must meet compared with another one."""

    model: str
    """The model that is to be released."""
    against: str
    """The model that it is compared with, such as the one in use. It becomes the control of the
    evaluation, if no control is named."""
    require: Requirement = Requirement.NOT_WORSE
    """What must be shown of the model: better, not_worse, equivalent or no_group_worse. All but
    better need a margin, and no_group_worse needs groups."""
    undecided: GateOutcome = GateOutcome.UNDECIDED
    """The outcome if the data show neither the requirement nor its opposite."""
    cheaper_by: float | None = None
    """By what share of the other's cost the model must also be cheaper: 0.5 is half the cost, 0 any
    lower cost. It needs cost. Left out: costs do not matter to the gate."""

    def __post_init__(self) -> None:
        for name, kind in (("require", Requirement), ("undecided", GateOutcome)):
            value = getattr(self, name)
            known = ", ".join(kind)
            if value not in tuple(kind):
                raise InvalidParameter(
                    f"The gate's {name} must be one of {known}, got {value}.",
                    loc=("gate", name),
                    value=value,
                )
            object.__setattr__(self, name, kind(value))
        if self.model == self.against:
            raise InvalidParameter(
                f"The gate compares {self.model!r} with itself; name two models.",
                loc=("gate", "against"),
                value=self.against,
            )
        share = self.cheaper_by
        if share is not None and not 0 <= share < 1:
            raise InvalidParameter(
                f"The gate's cheaper_by is a share of a cost, 0 or above and below 1, got {share}.",
                loc=("gate", "cheaper_by"),
                value=share,
            )

    def check_needs_no_margin(self) -> None:
        """Refuse a requirement that needs a margin if the request has none."""
        if self.require is not Requirement.BETTER:
            raise InvalidParameter(
                f"The gate requires {self.require}, which needs a margin: the largest difference "
                "that does not matter.",
                loc=("margin",),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The options of an evaluation, in Python and in requests."""

    level: float = 0.95
    """Confidence level of intervals, above 0 and at most 1 - 1e-9; alpha of the verdict is
    1 - level."""
    margin: float | None = None
    """Largest difference of mean losses that does not matter, in units of the loss, above 0. It
    makes verdicts of equivalence possible."""
    alternative: Alternative = Alternative.TWO_SIDED
    """Direction of tests and intervals; a difference is a minus b. Verdicts are two-sided whatever
    it is."""
    variances: tuple[ChosenMethod[VarianceEstimator], ...] | None = None
    """Variance estimators. Left out: all that apply."""
    intervals: tuple[ChosenMethod[IntervalMethod], ...] | None = None
    """Intervals. Left out: all that apply."""
    tests: tuple[ChosenMethod[PairedTest], ...] | None = None
    """Tests of pairs of models. Left out: all that apply."""
    omnibus: tuple[ChosenMethod[OmnibusTest], ...] | None = None
    """Tests of all models at once, which a request names among its tests. Left out: all that apply,
    if there are enough models."""
    correction: str | None = None
    """How p-values and intervals are corrected for the number of comparisons. Left out: max_t where
    every model is compared with one of them, else holm."""
    control: str | None = None
    """A model that every other model is compared with. Left out: as pairs says."""
    pairs: WhichPairs | None = None
    """Which pairs are compared: all, or every model with the best one of these data (best), which
    only the correction max_t allows for. Left out: all pairs of up to eight models, and of more if
    a correction is named; else best."""
    power: float = 0.8
    """Probability, between 0 and 1, with which the plan of an undecided comparison shall find the
    difference."""
    rope: float | None = None
    """Region of practical equivalence of the Bayesian tests, 0 or above. Left out: the margin."""
    clip: bool | None = None
    """Whether intervals end at the range of the loss or metric. Left out: they do where the range
    is known. True adds a caution where it is not; false leaves the ends beyond the range, with a
    caution."""
    range: tuple[float, float] | None = None
    """Smallest and largest possible loss. It also bounds the difference of two models whose losses
    are identical. Left out: the loss's own range, and 0 to 1 for losses that are all 0 or 1."""
    paired_unit: str | None = None
    """What the tests pair, where they can pair several. Left out: each test's own choice."""
    unit: str | None = None
    """The word for one block, such as school, hospital or task; of a holdout, which has one test
    set, for one cluster, such as patient or prompt. Sentences and figures use it. Left out: source,
    fold or cluster."""
    unit_plural: str | None = None
    """The plural of unit. Left out: the English one."""
    target: Target | None = None
    """What verdicts are about: these sources, a new source, or these fitted models. Left out: what
    the blocks suggest."""
    include: Include = ()
    """Parts that the result has beside the means, the recommended intervals and the verdicts, or
    ``all``. Methods that are named are included. Parts that are left out are not computed."""
    gate: Gate | None = None
    """A requirement on one pair of models; the result says whether it is met."""

    def __post_init__(self) -> None:
        if self.gate is not None and not isinstance(self.gate, Gate):
            raise InvalidParameter(
                f"gate is {self.gate!r}. It is a Gate, such as "
                "thetahat.Gate(model='new', against='old', require='not_worse').",
                loc=("gate",),
            )
        run_checks(
            lambda: self._set_member("alternative", Alternative),
            lambda: self._set_member("target", Target),
            lambda: check_level(self.level),
            lambda: _require(0 < self.power < 1, "power", self.power, "must be in (0, 1)"),
            self._check_margin,
            self._check_rope,
            self._check_range,
            lambda: _check_name("correction", self.correction, tuple(CORRECTIONS)),
            lambda: _check_name("pairs", self.pairs, PAIRS),
            self._check_pairs,
            lambda: _check_name("paired_unit", self.paired_unit, UNITS),
            lambda: read_noun(self.unit, self.unit_plural),
            self._set_parts,
            *(
                partial(_check_keys, family, getattr(self, family) or ())
                for family in METHOD_FIELDS
            ),
        )

    def _set_member(self, name: str, kind: type[StrEnum]) -> None:
        """Make a string a member of its enumeration, so that it can be compared by identity."""
        value = getattr(self, name)
        _check_name(name, value, tuple(kind))
        if value is not None:
            object.__setattr__(self, name, kind(value))

    def _set_parts(self) -> None:
        object.__setattr__(self, "include", read_parts(self.include))

    def _check_margin(self) -> None:
        if self.margin is not None:
            good = math.isfinite(self.margin) and self.margin > 0
            _require(good, "margin", self.margin, "must be a finite number above 0")
        elif self.gate is not None:
            self.gate.check_needs_no_margin()

    def _check_rope(self) -> None:
        if self.rope is not None:
            good = math.isfinite(self.rope) and self.rope >= 0
            _require(good, "rope", self.rope, "must be a finite number, 0 or above")

    def _check_range(self) -> None:
        if self.range is not None:
            lower, upper = self.range
            is_bounded = math.isfinite(lower) or math.isfinite(upper)
            good = is_bounded and lower < upper
            _require(
                good, "range", [lower, upper], "must be two numbers in order, one of them finite"
            )

    def _check_pairs(self) -> None:
        """Refuse pairs beside a control, and the best of many with other corrections."""
        if self.pairs is not None and (self.control is not None or self.gate is not None):
            named = "control" if self.control is not None else "gate"
            raise InvalidParameter(
                f"pairs is {self.pairs!r}, but with a {named} every model is compared with that "
                f"one. Leave out pairs or {named}.",
                loc=("pairs",),
                value=self.pairs,
            )
        if self.pairs == "best" and self.correction not in {None, CORRECTION_WITH_ONE_MODEL}:
            raise InvalidParameter(
                f"The correction {self.correction} does not allow for the search for the best "
                f"model. With pairs 'best' use {CORRECTION_WITH_ONE_MODEL}, or compare all pairs.",
                loc=("correction",),
                value=self.correction,
            )

    def compares_with_best(self, n_models: int) -> bool:
        """Return whether so many models are compared with the best one of the data."""
        if n_models < 3 or self.control is not None:
            return False
        if self.pairs is not None:
            return self.pairs == "best"
        is_allowed_for = self.correction in {None, CORRECTION_WITH_ONE_MODEL}
        return is_allowed_for and n_models > MOST_MODELS_OF_ALL_PAIRS

    def get_correction(self, n_models: int) -> str:
        """Return the correction of the comparisons of so many models."""
        if self.correction is not None:
            return self.correction
        with_one = self.control is not None or self.compares_with_best(n_models)
        return CORRECTION_WITH_ONE_MODEL if with_one else DEFAULT_CORRECTION

    @property
    def parts(self) -> tuple[ResultPart, ...]:
        """The parts that the result has: those that are included, or whose methods are named."""
        return tuple(part for part in ResultPart if self.includes(part))

    def includes(self, part: ResultPart) -> bool:
        """Return whether the result has a part."""
        named = {
            ResultPart.VARIANCES: self.variances,
            ResultPart.INTERVALS: self.intervals,
            ResultPart.TESTS: self.tests,
            ResultPart.OMNIBUS: self.omnibus,
        }
        return part in self.include or named.get(part) is not None

    @property
    def needs_all_intervals(self) -> bool:
        """Whether all variances and intervals are computed, and not the recommended ones alone."""
        return self.includes(ResultPart.VARIANCES) or self.includes(ResultPart.INTERVALS)

    def take_control_from_gate(self) -> Choices:
        """Return the choices with the gate's reference as control, if no control was named."""
        if self.gate is None or self.control is not None:
            return self
        return replace(self, control=self.gate.against)

    def orient(self, *, higher_is_better: bool) -> Choices:
        """Return the choices for losses, of which the request may have sent the scores."""
        return replace(self, alternative=self.alternative.mirror()) if higher_is_better else self

    def complete_method(self, method: M) -> M:
        """Return the method; its unit, rope and alpha default to those of the request."""
        rope = self.margin if self.rope is None else self.rope
        taken = {
            name: value
            for name, value in (("unit", self.paired_unit), ("rope", rope), ("alpha", self.alpha))
            if value is not None and getattr(method, name, self) is None
        }
        if not taken:
            return method
        a_dataclass: Any = method  # as the registries' methods all are
        changed: M = replace(a_dataclass, **taken)
        return changed

    def get_target(self, kind: BlockKind) -> Target:
        """Return what the verdicts on such blocks are about."""
        return self.target or DEFAULT_TARGET[kind]

    @property
    def noun(self) -> BlockNoun | None:
        """The word for a block; None where the request has none."""
        return read_noun(self.unit, self.unit_plural)

    @property
    def alpha(self) -> float:
        """1 - level."""
        return compute_alpha(self.level)


METHOD_FIELDS: Final = ("variances", "intervals", "tests", "omnibus")
"""The fields of ``Choices`` that choose methods."""

OPTION_NAMES: Final = tuple(
    field.name for field in fields(Choices) if field.name not in METHOD_FIELDS
)
"""The other fields of ``Choices``."""


def _check_name(name: str, value: str | None, known: Sequence[str]) -> None:
    is_known = value is None or value in known
    near = "" if is_known else suggest_name(str(value), known)
    _require(is_known, name, value, f"is not one of {', '.join(known)}{near}")


def _require(is_met: bool, name: str, value: Any, requirement: str) -> None:  # noqa: FBT001 - an assertion
    if not is_met:
        raise InvalidParameter(f"{name} {requirement}, got {value}.", loc=(name,), value=value)


def _check_keys(family: str, entries: tuple[ChosenMethod[Any], ...]) -> None:
    seen: set[str] = set()
    for i, entry in enumerate(entries):
        if entry.key in seen:
            raise InvalidParameter(
                f'{family} has {entry.key!r} twice. Give one of them an "as".',
                loc=(family, i),
                value=entry.key,
            )
        seen.add(entry.key)
