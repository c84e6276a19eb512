"""The rules by which a scheme is advised: the first rule that fits the situation.

A rule is data: when it fits, the scheme it makes, and its reasons. No rule names an interval or a
test; those are what the library itself recommends over the splits of the advised scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from thetahat.advice.result import AdviceReason
from thetahat.advice.situation import Situation
from thetahat.references import REFERENCES
from thetahat.values.json_values import JsonValue
from thetahat.values.types import Target

FOLDS: Final = (10, 7, 5)
"""The usual numbers of folds; more folds train on more of the rows."""
FEWEST_FOLDS: Final = 3
"""Enough where there are many rows."""
MANY_ROWS: Final = 1000
"""Rows from which three folds train on enough of them."""
FEW_ROWS: Final = 30
"""Rows up to which every training part should have all rows but one."""
ROWS_IN_A_FOLD: Final = 3
CLUSTERS_IN_A_FOLD: Final = 2
"""With one cluster in a fold the variance between clusters could not be estimated there."""
TEST_SHARE: Final = 0.3
REPEATS: Final = 5
MOST_SOURCES: Final = 50
"""Sources up to which each is left out alone, if the budget allows it."""
TIME_FOLDS: Final = 5

_SPLITS: Final = "/studies/lecture_splits"
_FOLDS: Final = "/studies/lecture_folds"
_COVERAGE: Final = "/studies/recommended_coverage"
_ERRORS: Final = "/studies/test_errors"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeChoice:
    """A scheme with its number of splits."""

    name: str
    """Wire name."""
    parameters: Mapping[str, JsonValue]
    """Its parameters."""
    folds: int
    repeats: int = 1
    """Test parts of one partition, and partitions or draws."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Roles that ``columns`` of the request must name, and with what."""

    @property
    def n_splits(self) -> int:
        """Fits of one learner."""
        return self.folds * self.repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeRule:
    """A rule that advises a scheme for the situations that it fits."""

    name: str
    """Name of the rule, for tests and for readers of the code."""
    fits: Callable[[Situation], bool]
    """Whether the scheme answers the question with these data and this budget."""
    build: Callable[[Situation], SchemeChoice]
    """Returns the scheme."""
    reasons: tuple[AdviceReason, ...]
    """Why."""


def build_reason(reason: str, *sources: str) -> AdviceReason:
    """Return a reason; keys of the bibliography become citations."""
    return AdviceReason(
        reason=reason, sources=tuple(REFERENCES.get(source, source) for source in sources)
    )


def choose_folds(situation: Situation, n_units: int, per_fold: int) -> int | None:
    """Return the largest usual number of folds that units and budget allow, or None.

    ``n_units`` rows, clusters or sources are divided into folds, of which each has at least
    ``per_fold``.
    """
    usual = FOLDS if situation.n < MANY_ROWS else (*FOLDS, FEWEST_FOLDS)
    for folds in usual:
        if folds <= situation.most_splits and n_units >= folds * per_fold:
            return folds
    if n_units < usual[-1] * per_fold:
        least = max(n_units // per_fold, 2)
        return least if least <= situation.most_splits else None
    return None


def _stratify(situation: Situation, folds: int, plain: str, stratified: str) -> str:
    """Return the stratified scheme where every fold can have a row of each class."""
    smallest = situation.smallest_class
    return plain if smallest is None or smallest < folds else stratified


def _build_holdout(situation: Situation) -> SchemeChoice:
    parameters: dict[str, JsonValue] = {"test_size": TEST_SHARE}
    columns = {}
    if situation.n_clusters is not None:
        parameters["whole_clusters"] = True
        columns = {"cluster": "the column with the cluster of each row"}
    return SchemeChoice(name="holdout", parameters=parameters, folds=1, columns=columns)


def _build_time_series(situation: Situation) -> SchemeChoice:
    folds = int(min(TIME_FOLDS, situation.most_splits, situation.n - 1))
    return SchemeChoice(
        name="time_series",
        parameters={"n_folds": max(folds, 2)},
        folds=max(folds, 2),
        columns={"time": "the column with the time of each row"},
    )


def _build_leave_one_source_out(situation: Situation) -> SchemeChoice:
    return SchemeChoice(
        name="leave_one_source_out",
        parameters={},
        folds=len(situation.source_sizes),
        columns={"source": "the column with the source of each row"},
    )


def _build_source_folds(situation: Situation) -> SchemeChoice:
    folds = choose_folds(situation, len(situation.source_sizes), 1) or 2
    name = _stratify(situation, folds, "source_k_fold", "stratified_source_k_fold")
    columns = {"source": "the column with the source of each row"}
    return SchemeChoice(name=name, parameters={"n_folds": folds}, folds=folds, columns=columns)


def _build_cluster_folds(situation: Situation) -> SchemeChoice:
    folds = choose_folds(situation, situation.n_clusters or 2, CLUSTERS_IN_A_FOLD) or 2
    name = _stratify(situation, folds, "source_k_fold", "stratified_source_k_fold")
    columns = {
        "source": "the column with the cluster of each row, so that folds keep clusters whole",
        "cluster": "the same column",
    }
    return SchemeChoice(name=name, parameters={"n_folds": folds}, folds=folds, columns=columns)


def _build_leave_one_out(situation: Situation) -> SchemeChoice:
    return SchemeChoice(name="leave_one_out", parameters={}, folds=situation.n)


def _build_folds(situation: Situation) -> SchemeChoice:
    folds = choose_folds(situation, situation.n, ROWS_IN_A_FOLD) or 2
    name = _stratify(situation, folds, "k_fold", "stratified_k_fold")
    return SchemeChoice(name=name, parameters={"n_folds": folds}, folds=folds)


def _build_repeated_folds(situation: Situation) -> SchemeChoice:
    folds = choose_folds(situation, situation.n, ROWS_IN_A_FOLD) or 2
    name = _stratify(situation, folds, "repeated_k_fold", "stratified_repeated_k_fold")
    parameters: dict[str, JsonValue] = {"n_folds": folds, "n_repeats": REPEATS}
    return SchemeChoice(name=name, parameters=parameters, folds=folds, repeats=REPEATS)


def _can_leave_sources_out(situation: Situation) -> bool:
    n_sources = len(situation.source_sizes)
    return n_sources <= min(MOST_SOURCES, situation.most_splits)


def _can_repeat(situation: Situation) -> bool:
    folds = choose_folds(situation, situation.n, ROWS_IN_A_FOLD)
    return folds is not None and folds * REPEATS <= situation.most_splits


_USUAL_SHARE: Final = build_reason(
    "A test part of 0.3 is the usual choice. It is a trade-off: with 60 rows of the kept study its "
    "bias is 0.008 and its mean squared error 0.009; half of the rows would give 0.019 and 0.006, "
    "a tenth 0.001 and 0.026.",
    "zelezny2011",
    _SPLITS,
)
_USUAL_FOLDS: Final = build_reason(
    "The usual numbers of folds are 5, 7 and 10. Ten train on nine tenths of the rows: the bias of "
    "the kept study is 0.003 with ten, 0.005 with five and 0.017 with two, and further folds "
    "change the variance little.",
    "kohavi1995",
    "arlot2010",
    _FOLDS,
)
_STRATIFIED: Final = build_reason(
    "Where classes are known, every fold gets their shares, which lowers bias and variance.",
    "kohavi1995",
    _FOLDS,
)

RULES: Final = (
    SchemeRule(
        name="order of time",
        fits=lambda s: s.time_ordered,
        build=_build_time_series,
        reasons=(
            build_reason(
                "Each model is tested on rows that are later than its own, as in use. Random folds "
                "would learn from the future.",
                "bergmeir2012",
                "tashman2000",
            ),
        ),
    ),
    SchemeRule(
        name="these models",
        fits=lambda s: s.target is Target.THESE_MODELS and s.n > FEW_ROWS,
        build=_build_holdout,
        reasons=(
            build_reason(
                "The question is about the models as they are trained, so each is trained once and "
                "tested on rows that it has not seen.",
                "zelezny2011",
            ),
            _USUAL_SHARE,
        ),
    ),
    SchemeRule(
        name="each source left out",
        fits=lambda s: s.target is Target.NEW_SOURCE and _can_leave_sources_out(s),
        build=_build_leave_one_source_out,
        reasons=(
            build_reason(
                "For a source that is not among these, each source is tested by models that have "
                "not seen it. Random folds would mix rows of every source into the training parts "
                "and be too optimistic.",
                "geras2013",
                _COVERAGE,
            ),
        ),
    ),
    SchemeRule(
        name="folds of sources",
        fits=lambda s: s.target is Target.NEW_SOURCE and s.most_splits >= 2,
        build=_build_source_folds,
        reasons=(
            build_reason(
                "There are more sources than fits, so several sources are left out together. No "
                "source is on both sides of a split.",
                "geras2013",
                _COVERAGE,
            ),
        ),
    ),
    SchemeRule(
        name="whole clusters",
        fits=lambda s: s.n_clusters is not None and s.most_splits >= 2,
        build=_build_cluster_folds,
        reasons=(
            build_reason(
                "Rows of one cluster depend on each other, so each cluster is whole in one fold. "
                "If splits divide clusters, models learn the clusters themselves; intervals for "
                "their error then covered in 0.55 to 0.95 of the samples.",
                "roberts2017",
                _COVERAGE,
            ),
            _USUAL_FOLDS,
        ),
    ),
    SchemeRule(
        name="few rows",
        fits=lambda s: s.n <= min(FEW_ROWS, s.most_splits),
        build=_build_leave_one_out,
        reasons=(
            build_reason(
                "With very few rows, each model should be trained on all of them but one; folds "
                "would leave training parts that are too small. It takes one fit for each row.",
                "molinaro2005",
                "zelezny2011",
            ),
        ),
    ),
    SchemeRule(
        name="repeated folds",
        fits=_can_repeat,
        build=_build_repeated_folds,
        reasons=(
            _USUAL_FOLDS,
            build_reason(
                "Five partitions take out most of the variance that one partition adds, and the "
                "verdict finds more true differences at the same level.",
                "molinaro2005",
                _FOLDS,
                _ERRORS,
            ),
            _STRATIFIED,
        ),
    ),
    SchemeRule(
        name="one partition",
        fits=lambda s: choose_folds(s, s.n, ROWS_IN_A_FOLD) is not None,
        build=_build_folds,
        reasons=(_USUAL_FOLDS, _STRATIFIED),
    ),
    SchemeRule(
        name="few fits",
        fits=lambda s: True,  # noqa: ARG005 - what remains if nothing else is affordable
        build=_build_holdout,
        reasons=(
            build_reason(
                "The budget does not allow for folds, so each model is trained once. The result is "
                "about these models, and not about the learner.",
                "arlot2010",
            ),
            _USUAL_SHARE,
        ),
    ),
)
"""The rules in their order."""


def choose_rule(situation: Situation) -> SchemeRule:
    """Return the first rule that fits."""
    return next(rule for rule in RULES if rule.fits(situation))


def list_other_rules(situation: Situation, chosen: SchemeRule) -> list[SchemeRule]:
    """Return the later rules that fit, too, and that answer a question of this kind."""
    later = RULES[RULES.index(chosen) + 1 :]
    may_mix = chosen.name in {"repeated folds", "one partition", "few rows"}
    return [rule for rule in later if may_mix and rule.fits(situation)]
