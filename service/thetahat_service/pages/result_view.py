"""What the page of an evaluation shows of a result that has models and comparisons.

A result is read as the JSON that clients get. Comparisons in full and in brief both have ``a``,
``b``, ``interval`` and ``verdict``; what a brief one lacks is left out of the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Final

from thetahat.cautions import restore
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.number_text import format_count
from thetahat.values.types import BlockKind
from thetahat.values.words import choose_words
from thetahat_service.figures.differences import MOST_PAIRS, PairsBeyondMargin
from thetahat_service.figures.words import name_block, write_level
from thetahat_service.pages.headlines import ComparedPair, write_headline
from thetahat_service.pages.tables import Table
from thetahat_service.pages.texts import (
    capitalise,
    describe_target,
    write_ends,
    write_estimate,
    write_interval,
    write_number,
    write_p_value,
)

if TYPE_CHECKING:
    from thetahat_service.figures.result_types import AnyComparison, AnyInterval, ModelsResult

Json = Mapping[str, Any]

MAX_SENTENCES: Final = 7
"""Sentences of verdicts that are shown at first; the others are folded away."""
MAX_DOUBTS: Final = 3
MAX_PAIRS: Final = 200
"""Pairs without the best model that a page lists; a result with more of them is read by API."""
SEVERITIES: Final = ("serious", "warning", "info")
TARGET_ORDER: Final = ("new_source", "new_population", "these_sources", "these_models")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCaution:
    """A caution of a result, once for each code."""

    code: str
    severity: str
    message: str
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDifferences:
    """The difference of two models by source.

    Parameters
    ----------
    a, b : str
        The models; differences are a minus b.
    sentence : str
        Whether the difference comes from a few sources or from most.
    table : Table
        The difference in each source, sorted.
    """

    a: str
    b: str
    sentence: str
    table: Table


@dataclass(frozen=True)
class ResultView:
    """A result with models and comparisons, as its page shows it.

    Parameters
    ----------
    result : mapping
        The result.
    request : mapping
        The request.
    """

    result: ModelsResult
    request: Json

    @property
    def higher_is_better(self) -> bool:
        """Whether the values are scores and not losses."""
        better: str = self.result["summary"].get("better", self.request.get("better", "lower"))
        return better == "higher"

    @property
    def quantity(self) -> str:
        """What a model's mean is called."""
        return "mean score" if self.higher_is_better else "mean loss"

    @property
    def unit(self) -> str:
        """What a block is called: source, or the word of the request."""
        unit: str = self.result.get("unit", {}).get("singular", "source")
        return unit

    @property
    def units(self) -> str:
        """The word for several blocks."""
        units: str = self.result.get("unit", {}).get("plural", "sources")
        return units

    @property
    def margin(self) -> float | None:
        """Largest difference that does not matter, from the request."""
        margin: float | None = self.request.get("margin")
        return margin

    @property
    def headline(self) -> str:
        """The verdict in one short sentence."""
        pairs = [
            ComparedPair(pair["a"], pair["b"], str(pair["verdict"]["decision"]))
            for pair in self.result["comparisons"]
        ]
        return write_headline(self.result["summary"], pairs)

    @property
    def sentences(self) -> Sequence[str]:
        """The best model and the verdicts in words."""
        sentences: Sequence[str] = self.result["summary"]["sentences"]
        return sentences

    @cached_property
    def model_names(self) -> list[str]:
        """All models, the best one first."""
        means = {name: model["mean"]["macro"] for name, model in self.result["models"].items()}
        return sorted(means, key=means.__getitem__, reverse=self.higher_is_better)

    @cached_property
    def targets(self) -> list[str]:
        """The targets of the recommended intervals."""
        present = {t for model in self.result["models"].values() for t in model["recommended"]}
        return [target for target in TARGET_ORDER if target in present]

    @property
    def main_target(self) -> str | None:
        """What the verdicts are about; None where no interval could be built.

        The target of the summary is the question. Where a request leaves only methods for another
        target, its verdicts are about that one.
        """
        for pair in self.result["comparisons"]:
            if pair["interval"] is not None:
                return str(pair["interval"]["target"])
        wanted: str = self.result["summary"]["target"]
        return wanted if wanted in self.targets else next(iter(self.targets), None)

    def tabulate_models(self) -> Table:
        """Return the mean of each model with its interval for each target."""
        has_prediction = any("prediction" in m for m in self.result["models"].values())
        columns = ["Model", capitalise(self.quantity)]
        columns += [f"Interval {describe_target(target, self.unit)}" for target in self.targets]
        columns += [f"One more {self.unit}"] * has_prediction
        columns += ["Instances"]
        rows = []
        for name in self.model_names:
            model = self.result["models"][name]
            intervals = [model["recommended"].get(target) for target in self.targets]
            first = next((interval for interval in intervals if interval is not None), None)
            error = None if first is None else first["standard_error"]
            cells = [name, write_estimate(model["mean"]["macro"], error)]
            cells += [write_ends(each) for each in intervals]
            if has_prediction:
                cells.append(write_ends(model.get("prediction")))
            rows.append([*cells, write_number(model["n"])])
        note = "The best model is first." if len(rows) > 1 else ""
        if has_prediction:
            note += (
                f" The column for one more {self.unit} is where the mean of a single new "
                f"{self.unit} will lie. It is wider than an interval for the average over all."
            )
        return Table(
            caption=f"{capitalise(self.quantity)} of each model"
            + (f" ({self._level} intervals)" if self.targets else ""),
            columns=columns,
            rows=rows,
            numbers=frozenset(range(1, len(columns))),
            note=note.strip(),
        )

    @property
    def _level(self) -> str:
        return write_level(self.result["summary"]["level"])

    @cached_property
    def pairs(self) -> list[AnyComparison]:
        """Comparisons, those of the best model first, then by the size of the difference."""
        best = self.result["summary"]["best_model"]
        return sorted(
            self.result["comparisons"],
            key=lambda pair: (best not in {pair["a"], pair["b"]}, -abs(pair["difference"])),
        )

    @cached_property
    def _n_first_pairs(self) -> int:
        """How many pairs the first table has: all, or of many those with the best model."""
        if len(self.pairs) <= MOST_PAIRS:
            return len(self.pairs)
        best = self.result["summary"]["best_model"]
        return sum(best in {pair["a"], pair["b"]} for pair in self.pairs)

    def tabulate_pairs(self) -> Table:
        """Return the difference of each pair; of many pairs only of those with the best model."""
        rows = [self._describe_pair(pair) for pair in self.pairs[: self._n_first_pairs]]
        side = "above" if self.higher_is_better else "below"
        sign = f"{side} 0, the first model is better."
        notes = [f"A difference is the first {self.quantity} minus the second; {sign}"]
        if self.margin is not None:
            notes.append(
                f"The margin is {write_number(self.margin)}: smaller differences do not matter. "
                "“By more than the margin” allows for the number of pairs (Bonferroni)."
            )
        if len(rows) < len(self.pairs):
            best = self.result["summary"]["best_model"]
            caption = f"Difference of {best} and each other model"
        else:
            caption = "Difference of each pair"
        return self._tabulate_differences(caption, rows, " ".join(notes))

    def tabulate_more_pairs(self) -> Table | None:
        """Return the pairs without the best model, where the first table leaves them out."""
        further_pairs = self.pairs[self._n_first_pairs :]
        if not further_pairs:
            return None
        rows = [self._describe_pair(pair) for pair in further_pairs[:MAX_PAIRS]]
        note = "The largest differences are first."
        if len(further_pairs) > len(rows):
            n_left_out = len(further_pairs) - len(rows)
            note += f" {format_count(n_left_out)} more pairs are in the result as JSON."
        return self._tabulate_differences("Difference of each other pair", rows, note)

    def _tabulate_differences(self, caption: str, rows: list[list[str]], note: str) -> Table:
        target = next((p["interval"]["target"] for p in self.pairs if p["interval"]), None)
        return Table(
            caption=f"{caption} {describe_target(target, self.unit)}".strip(),
            columns=["Pair", "Difference", f"{self._level} interval", "Verdict", "p"],
            rows=rows,
            numbers=frozenset({1, 2, 4}),
            note=note,
        )

    def _describe_pair(self, pair: AnyComparison) -> list[str]:
        """Return the cells of a pair, with the better model first where one is better."""
        a, b = pair["a"], pair["b"]
        decision = pair["verdict"]["decision"]
        if decision == "worse":
            a, b, decision = b, a, "better"
        interval: AnyInterval | None = pair["interval"]
        error = lower = upper = None
        estimate = pair["difference"]
        if interval is not None:
            error, estimate = interval["standard_error"], interval["estimate"]
            lower, upper = interval["lower"], interval["upper"]
        if a != pair["a"]:
            estimate, lower, upper = -estimate, _negate(upper), _negate(lower)
        verdict = pair["verdict"]
        p_value = verdict.get("p_value_adjusted")
        return [
            f"{a} − {b}",
            write_estimate(estimate, error),
            write_interval(lower, upper, error),
            self._word_verdict(decision, a, b, pair),
            write_p_value(verdict["p_value"] if p_value is None else p_value),
        ]

    def _word_verdict(self, decision: str, a: str, b: str, pair: AnyComparison) -> str:
        if decision == "better":
            beyond = ", and by more than the margin" if self.is_beyond_margin(pair) else ""
            return f"{a} is better{beyond}"
        words = {
            "equivalent": "equivalent",
            "not_worse": f"{a} is not worse than {b} by more than the margin",
            "undecided": "undecided",
        }
        return words.get(decision, decision)

    def is_beyond_margin(self, pair: AnyComparison) -> bool:
        """Return whether a difference is larger than the margin, by the rule of the figure."""
        return PairsBeyondMargin.from_result(self.result).contains(pair)

    # By source ----------------------------------------------------------------------------------

    @property
    def has_sources(self) -> bool:
        """Whether the blocks are sources."""
        return "new_source" in {self.result["summary"]["target"], *self.targets}

    def default_pair(self) -> tuple[str, str] | None:
        """Return the best and the second-best model; None for a single model."""
        names = self.model_names
        return (names[0], names[1]) if len(names) > 1 else None

    def compare_by_source(self, a: str, b: str) -> SourceDifferences | None:
        """Return the difference of two models in each source; None where there is none."""
        models, labels = self.result["models"], self.result["block_labels"]
        if a not in models or b not in models or a == b:
            return None
        blocks_a, blocks_b = models[a]["mean"]["blocks"], models[b]["mean"]["blocks"]
        if len(blocks_a) != len(labels) or len(blocks_b) != len(labels):
            return None
        rows = sorted(zip(labels, blocks_a, blocks_b, strict=True), key=lambda row: row[1] - row[2])
        table = Table(
            caption=f"{capitalise(self.quantity)} by {self.unit}, sorted by the difference",
            columns=[capitalise(self.unit), a, b, f"{a} − {b}"],
            rows=[
                [str(label), write_number(x), write_number(y), write_number(x - y)]
                for label, x, y in rows
            ],
            numbers=frozenset({1, 2, 3}),
        )
        sentence = self._describe_sources(a, b, [(str(r[0]), r[1] - r[2]) for r in rows])
        return SourceDifferences(a=a, b=b, sentence=sentence, table=table)

    def _describe_sources(self, a: str, b: str, differences: Sequence[tuple[str, float]]) -> str:
        values = [difference for _, difference in differences]
        sign = 1 if self.higher_is_better else -1
        n_better = sum(sign * value > 0 for value in values)
        label, extreme = max(differences, key=lambda item: abs(item[1]))
        mean = fmean(values)
        sentence = (
            f"{a} is better than {b} in {n_better} of {len(values)} {self.units}. The mean "
            f"difference is {write_number(mean)}, the median {write_number(median(values))}; the "
            f"largest is {write_number(extreme)}, in {name_block(self.unit, label)}."
        )
        if len(values) < 3:
            return sentence
        mean_without = (mean * len(values) - extreme) / (len(values) - 1)
        return (
            f"{sentence} Without that {self.unit} the mean would be {write_number(mean_without)}."
        )

    # What the result does not say ----------------------------------------------------------------

    @cached_property
    def cautions(self) -> list[ShownCaution]:
        """Every caution of the result once, the serious ones first."""
        return collect_cautions(self.result)

    @property
    def doubts(self) -> list[ShownCaution]:
        """The cautions to know before a decision: at most three, the serious ones first.

        They are those of the whole result, and of the intervals and verdicts that the page shows.
        """
        return [c for c in _collect(self._list_shown_parts()) if c.severity != "info"][:MAX_DOUBTS]

    def _list_shown_parts(self) -> Iterator[Any]:
        main = self.main_target
        yield self.result["cautions"]
        for model in self.result["models"].values():
            if main in model["recommended"]:
                yield model["recommended"][main]["cautions"]
        for pair in self.result["comparisons"]:
            if pair["interval"] is not None:
                yield pair["interval"].get("cautions", ())
            yield [c for c in pair["cautions"] if "message" in c]
        words = choose_words(
            BlockKind.RANDOM,
            BlockNoun(**self.result["unit"]),
            higher_is_better=self.higher_is_better,
        )
        for caution in self.result.get("comparison_cautions", ()):
            yield [asdict(restore(caution["code"], caution["message"], words))]


def collect_cautions(result: Json) -> list[ShownCaution]:
    """Return every caution in a result once, the serious ones first."""
    return _collect([list(_walk(result))])


def _collect(groups: Any) -> list[ShownCaution]:
    """Return cautions of all groups, one for each code, sorted by severity."""
    cautions: dict[str, ShownCaution] = {}
    for group in groups:
        for caution in group:
            code = caution["code"]
            if code not in cautions:
                cautions[code] = ShownCaution(
                    code=code,
                    severity=caution["severity"],
                    message=caution["message"],
                    advice=caution["advice"],
                )
    return sorted(cautions.values(), key=lambda caution: SEVERITIES.index(caution.severity))


def _walk(value: Any) -> Iterator[Json]:
    """Yield the objects inside a JSON value that are cautions."""
    if isinstance(value, dict):
        if {"code", "message", "severity", "advice"} <= value.keys():
            yield value
            return
        for inner in value.values():
            yield from _walk(inner)
    elif isinstance(value, list) and value and isinstance(value[0], dict | list):
        for inner in value:
            yield from _walk(inner)


def _negate(value: float | None) -> float | None:
    return None if value is None else -value
