"""A result that compares models: its order, its words, and its cautions.

A result has its parts, such as tests and variances, only if they are included. A result of an
older release lacks fields, too; what is missing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from thetahat_presentation.document import Interval, Json
from thetahat_presentation.numbers import format_count, format_level
from thetahat_presentation.parts.cautions import Place, PlacedCaution, place_cautions
from thetahat_presentation.parts.headlines import (
    MOST_OF_ALL_PAIRS,
    ComparedPair,
    count_decisions,
    write_headline,
)
from thetahat_presentation.targets import describe_target, sort_targets
from thetahat_presentation.wording import (
    capitalise,
    find_source_words,
    find_value_word,
    is_higher_better,
    name_method,
)


class ModelsResult:
    """A result with models and comparisons, as it is shown.

    Parameters
    ----------
    result, request : mapping
        The result as JSON, and the request; an empty one where it is not known.
    """

    def __init__(self, result: Json, request: Json) -> None:
        self.result = result
        self.request = request
        self.models: Mapping[str, Json] = result["models"]
        self.summary: Json = result.get("summary") or {}
        self.sources = find_source_words(result)
        self.unit, self.units = self.sources.unit, self.sources.units
        self.higher_is_better = is_higher_better(result)
        self.quantity = find_value_word(result)

    @cached_property
    def names(self) -> list[str]:
        """All models, the best one first; those of an undefined mean last."""
        ranked = [each["name"] for each in self.summary.get("models", ())]
        sign = -1.0 if self.higher_is_better else 1.0
        unranked = [name for name in self.models if name not in ranked]
        first = [name for name in ranked if name in self.models]
        return first + sorted(unranked, key=lambda name: self._sort_key(name, sign))

    def _sort_key(self, name: str, sign: float) -> tuple[bool, float]:
        mean = self.models[name].get("mean", {}).get("macro")
        return mean is None, 0.0 if mean is None else sign * mean

    @cached_property
    def best(self) -> str:
        """The model with the best mean."""
        return str(self.summary.get("best_model") or next(iter(self.names), ""))

    @cached_property
    def comparisons(self) -> Sequence[Json]:
        """The pairs of models in the order of the result."""
        # A result of an older release lacks the interval where there is none.
        missing = {"interval": None, "difference": None}
        return [{**missing, **pair} for pair in self.result.get("comparisons", ())]

    @cached_property
    def targets(self) -> list[str]:
        """The targets of the recommended intervals, in the order in which they are shown."""
        return sort_targets(t for model in self.models.values() for t in find_recommended(model))

    @property
    def main_target(self) -> str | None:
        """What the verdicts are about; None where no interval could be built.

        The target of the summary is the question. Where a request leaves only methods for another
        target, its verdicts are about that one.
        """
        for pair in self.comparisons:
            if pair["interval"] is not None:
                return str(pair["interval"]["target"])
        wanted: str | None = self.summary.get("target")
        return wanted if wanted in self.targets else next(iter(self.targets), None)

    @property
    def has_sources(self) -> bool:
        """Whether something is said about a new source."""
        metrics = (
            target
            for model in self.models.values()
            for metric in (model.get("metrics") or {}).values()
            for target in find_recommended(metric)
        )
        return "new_source" in {self.summary.get("target"), *self.targets, *metrics}

    @cached_property
    def level(self) -> str:
        """The level of the intervals."""
        level = self.summary.get("level")
        levels = {
            interval["level"]
            for model in self.models.values()
            for interval in find_recommended(model).values()
            if "level" in interval
        }
        chosen = level if level is not None else (levels.pop() if len(levels) == 1 else None)
        return "" if chosen is None else format_level(chosen)

    def name_method(self, key: str) -> str:
        """Return a method as people write it; a name that the request gave it stays."""
        return key if key in self._given_names else name_method(key)

    def head_method(self, key: str) -> str:
        """Return a method at the beginning of a line."""
        return key if key in self._given_names else capitalise(name_method(key))

    @cached_property
    def _given_names(self) -> frozenset[str]:
        used = (self.result.get("provenance") or {}).get("methods") or ()
        given = (each.get("as") for each in used if each.get("as") != each["name"])
        return frozenset(name for name in given if name is not None)

    def about(self, target: str | None) -> str:
        """Return a target as the end of a sentence."""
        return describe_target(target, self.sources)

    # Sentences ----------------------------------------------------------------------------------

    def write_headline(self) -> str:
        """Return the verdict in one short sentence; nothing for a result without a summary."""
        if not self.summary:
            return ""
        if self._counts_tied:
            first = str(self.summary["sentences"][0])
            if self.other_target is None:
                return first
            counts = count_decisions(self.summary, self._decide(self.other_target))
            return f"{first} {_join(capitalise(self.about(self.other_target)), counts)}"
        main = write_headline(self.summary, self._decide())
        return main if self.other_target is None else self._write_both(main, self.other_target)

    @property
    def _counts_tied(self) -> bool:
        """Whether the headline says how many models are tied, with its question."""
        best, pairs = self.summary.get("best_model"), self.comparisons
        has_counts = self.other_target is None or all(best in {p["a"], p["b"]} for p in pairs)
        is_long = len(self.names) > MOST_OF_ALL_PAIRS and has_counts
        return is_long and bool(self.summary.get("sentences"))

    def write_verdict(self) -> str:
        """Return the headline with its question, which some headlines have already."""
        headline = self.write_headline()
        if self.other_target is not None or self.main_target is None or not headline:
            return headline
        if self._counts_tied:
            return headline
        is_trained = self.main_target == "these_models"
        start = "As trained" if is_trained else capitalise(self.about(self.main_target))
        return _join(start, headline)

    def _write_both(self, main: str, other_target: str) -> str:
        """Return the verdicts on both questions, once where they are the same."""
        other = write_headline(self.summary, self._decide(other_target))
        abouts = [capitalise(self.about(each)) for each in (self.main_target, other_target)]
        if main == other:
            return _join(f"{abouts[0]} and {self.about(other_target)}", main)
        return f"{_join(abouts[0], main)} {_join(abouts[1], other)}"

    def _decide(self, other_target: str | None = None) -> list[ComparedPair]:
        """Return the decision on each pair, for the main question or for the other one."""
        return [
            ComparedPair(pair["a"], pair["b"], str(verdict["decision"]), verdict.get("also") or ())
            for pair in self.comparisons
            for verdict in [
                pair["verdict"] if other_target is None else pair["other_verdicts"][other_target]
            ]
        ]

    @cached_property
    def other_target(self) -> str | None:
        """The other question that has verdicts; None where one question is answered."""
        found = [pair.get("other_verdicts") or {} for pair in self.comparisons]
        targets = sort_targets(target for each in found for target in each)
        return targets[0] if targets and all(targets[0] in each for each in found) else None

    @property
    def ranking(self) -> Json:
        """What is shown of the order of the models; empty for two, and in an older result."""
        return self.result.get("ranking") or {}

    def list_sentences(self) -> list[str]:
        """Return the best model and the verdict on each pair with what would settle it.

        The headline of a single model says the same as its sentence.
        """
        first = self.summary.get("sentences", ())[:1] if len(self.names) > 1 else ()
        return [*first, *(" ".join(filter(None, each)) for each in self.list_verdicts())]

    def list_verdicts(self) -> list[tuple[str, str]]:
        """Return the reason of each verdict, and what would settle it."""
        verdicts = [
            verdict
            for pair in self.comparisons
            for verdict in (pair["verdict"], *(pair.get("other_verdicts") or {}).values())
        ]
        return [_write_verdict(each) for each in verdicts if each.get("reason")]

    def describe_scope(self) -> str:
        """Return what the numbers of a result are about, and what they are not about."""
        target, limit = self.main_target, self.describe_limit()
        if target is None:
            return limit
        if self.other_target is not None:
            both = f"{self.about(target)}, and {self.about(self.other_target)}"
            return f"There are two verdicts on each pair, about the {self.quantity} {both}."
        subject = "The verdicts are" if len(self.names) > 1 else "The interval is"
        return f"{subject} about the {self.quantity} {self.about(target)}. {limit}".strip()

    def describe_limit(self) -> str:
        """Return what the numbers of a result are not about; nothing for two questions."""
        target = self.main_target
        if target is None:
            return (
                "No interval of a mean could be built, so the numbers do not say how far the means "
                "may be from the truth."
            )
        if self.other_target is not None:
            return ""
        if target == "these_sources" and not self.has_sources:
            return (
                "Nothing here says how the models do elsewhere, such as at another site or for "
                "another customer."
            )
        if target == "new_source" and "these_sources" in self.targets:
            beside = f"The intervals {self.about('these_sources')} are about more data from them"
            return f"{beside}{'; no verdict is.' if len(self.names) > 1 else '.'}"
        if target == "new_source":
            return f"Nothing here says how the models do on more data from the same {self.units}."
        if target == "these_models" and self.leaves_out_training:
            return "How much results change with other training data is left out."
        return ""

    @property
    def leaves_out_training(self) -> bool:
        """Whether a caution says so; none does of models that nobody trained for the data."""
        codes = {caution.get("code") for _, caution in self.iterate_shown_cautions()}
        return not codes.isdisjoint({"no_training_variance", "ignores_training_variance"})

    @cached_property
    def reference(self) -> str:
        """The model that all others were compared with, or else the best one."""
        controls = {pair["b"] for pair in self.comparisons}
        is_control = len(controls) == 1 and len(self.comparisons) > 1
        return str(next(iter(controls))) if is_control else self.best

    @cached_property
    def pairs(self) -> list[Json]:
        """Comparisons, those of the reference first, then by the size of the difference."""
        return sorted(
            self.comparisons,
            key=lambda pair: (
                self.reference not in {pair["a"], pair["b"]},
                -abs(pair["difference"] or 0.0),
            ),
        )

    @property
    def margin(self) -> float | None:
        """Largest difference that does not matter."""
        margin: float | None = self.summary.get("margin", self.request.get("margin"))
        return margin

    @property
    def correction(self) -> str:
        """How p-values are corrected; empty in a result of an older release."""
        return str(self.summary.get("correction") or self.request.get("correction") or "")

    # Cautions -----------------------------------------------------------------------------------

    def iterate_shown_cautions(self) -> Iterator[PlacedCaution]:
        """Yield the cautions of what the document shows, with what each is about.

        Of the intervals they are those for the target of the verdicts, which come first, and then
        those for the other targets.
        """
        yield from place_cautions(self.result.get("cautions"))
        for name, model in self.models.items():
            for target, interval in find_recommended(model).items():
                place = Place(name, self.about(target))
                yield from place_cautions(interval.get("cautions"), place)
            yield from place_cautions((model.get("judge") or {}).get("cautions"), Place(name))
            of_cost = (model.get("cost") or {}).get("interval") or {}
            yield from place_cautions(of_cost.get("cautions"), Place(f"cost of {name}"))
            if prediction := model.get("prediction"):
                place = Place(name, f"one more {self.unit}")
                yield from place_cautions(prediction.get("cautions"), place)
            for metric, estimate in (model.get("metrics") or {}).items():
                place = Place(name, self.name_method(metric))
                for part in (estimate, *find_recommended(estimate).values()):
                    yield from place_cautions(part.get("cautions"), place)
        for pair in self.comparisons:
            name = f"{pair['a']} against {pair['b']}"
            yield from place_cautions((pair["interval"] or {}).get("cautions"), Place(name))
            yield from place_cautions(pair.get("cautions"), Place(name))
            yield from place_cautions((pair.get("judge") or {}).get("cautions"), Place(name))
            of_cost = (pair.get("cost") or {}).get("cautions")
            yield from place_cautions(of_cost, Place(f"cost of {name}"))
            for metric, difference in (pair.get("metrics") or {}).items():
                place = Place(name, self.name_method(metric))
                yield from place_cautions(difference.get("cautions"), place)

    def iterate_verdict_cautions(self) -> Iterator[PlacedCaution]:
        """Yield the cautions of what the verdicts rest on, with what each is about."""
        asked = [each for each in (self.main_target, self.other_target) if each is not None]
        yield from place_cautions(self.result.get("cautions"))
        for pair in self.comparisons:
            place = Place(f"{pair['a']} against {pair['b']}")
            yield from place_cautions((pair["interval"] or {}).get("cautions"), place)
            yield from place_cautions(pair.get("cautions"), place)
        for target in asked:
            for name, model in self.models.items():
                cautions = find_recommended(model).get(target, {}).get("cautions")
                yield from place_cautions(cautions, Place(name, self.about(target)))


def find_recommended(part: Json) -> Mapping[str, Json]:
    """Return the recommended interval for each target of a model, a metric or a point."""
    if "recommended" in part:
        recommended: Mapping[str, Json] = part["recommended"]
        return recommended
    # A result of an older release marks them in the list.
    return {i["target"]: i for i in part.get("intervals", ()) if i.get("recommended")}


def build_interval(interval: Json | None, standard_error: float | None = None) -> Interval:
    """Return the cell of an interval; an empty one where there is none."""
    if interval is None:
        return Interval(None, None)
    error = standard_error if standard_error is not None else interval.get("standard_error")
    return Interval(interval.get("lower"), interval.get("upper"), error)


def find_error(interval: Json | None) -> float | None:
    """Return the error that decides on the digits of an estimate: about a quarter of its interval.

    A standard error comes first; an open end leaves none.
    """
    ends = interval or {}
    error: float | None = ends.get("standard_error")
    if error or ends.get("lower") is None or ends.get("upper") is None:
        return error
    return float(ends["upper"] - ends["lower"]) / 4


def build_estimate(estimate: Mapping[str, Any] | None) -> Interval:
    """Return an estimate with its interval; an empty cell where there is none."""
    ends = build_interval(estimate)
    if estimate is None:
        return ends
    return Interval(ends.lower, ends.upper, ends.standard_error, estimate.get("estimate"))


def count_not_shown(n_rows: int, most: int) -> list[str]:
    """Return the note on a table that has not all rows; none if it has them."""
    if n_rows <= most:
        return []
    shown = f"the first {most} of {format_count(n_rows)} rows"
    return [f"The table has {shown}; the result as JSON has all."]


def _write_verdict(verdict: Json) -> tuple[str, str]:
    """Return the reason of a decision, and the plan, which is empty where nothing is open."""
    sentence = f"{_remove_stop(str(verdict['reason']))}."
    plan = verdict.get("plan")
    if plan:
        return sentence, plan.get("sentence") or _describe_older_plan(plan)
    reason = verdict.get("plan_reason")
    return sentence, f"No plan: {_remove_stop(reason)}." if reason else ""


def _describe_older_plan(plan: Json) -> str:
    """Return the sentence of a plan in a result of an older release, which has none."""
    return (
        f"If the true difference is {plan['assumed_difference']:.4g}, {plan['total']} "
        f"{plan['unit']} ({plan['additional']} more) give a chance of "
        f"{format_level(plan['power'])} to show it."
    )


def _remove_stop(sentence: str) -> str:
    return sentence.rstrip().removesuffix(".")


def _join(about: str, headline: str) -> str:
    """Return a headline after its question; names of models keep their first letter."""
    if headline.startswith(("It is ", "The mean ")):
        headline = f"{headline[0].lower()}{headline[1:]}"
    return f"{about}: {headline}"
