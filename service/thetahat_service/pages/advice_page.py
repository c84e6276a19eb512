"""The form that asks which scheme fits, and what the page shows of the advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from thetahat.advice import Advice
from thetahat.advice.result import AdviceReason, AdvisedPrecision, AdvisedScheme
from thetahat.intervals import INTERVALS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.schemes import SCHEMES
from thetahat.variances import VARIANCES
from thetahat_presentation.document import Number, Table
from thetahat_presentation.numbers import count, format_number
from thetahat_presentation.targets import describe_target
from thetahat_presentation.wording import capitalise
from thetahat_service.pages.sent_form import FieldPaths, Fields, SentForm, read_number, read_text
from thetahat_service.pages.texts import write_duration

QUESTIONS: Final = {
    "": "Choose for me",
    "these_models": "The models that I have trained",
    "these_sources": "More rows like these",
    "new_source": "A source that is not among these",
}
NUMBERS: Final = (
    "n",
    "n_clusters",
    "fit_seconds",
    "budget_seconds",
    "n_models",
    "expected_error",
    "loss_spread",
    "margin",
)
"""Fields of the form with one number, named as in the request for advice."""
FIELD_OF_PATH: Final[FieldPaths] = {
    **{(name,): name for name in (*NUMBERS, "question", "time_ordered")},
    ("source_sizes",): "source_sizes",
    ("class_counts",): "class_counts",
}
MOST_PARTS: Final = 1000
"""Sources or classes that a single number may stand for."""
PAGE_OF_DOCUMENT: Final = {"docs/methods.md": "/methods"}
"""Pages of the service with the text of a page of the documentation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceForm(SentForm):
    """The form that asks which scheme fits."""

    @property
    def questions(self) -> Mapping[str, str]:
        """The questions that can be chosen, with their words."""
        return QUESTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReason:
    """A reason with its sources: the text of each, and a path where the service has a page."""

    text: str
    sources: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvicePart:
    """One part of the advice."""

    name: str
    title: str
    """Its id on the page, and its heading."""
    sentence: str
    """What is advised."""
    reasons: Sequence[ShownReason]
    """Why."""
    table: Table | None = None
    """Its numbers; None where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceView:
    """The advice as the page shows it."""

    headline: str
    """The scheme, in a sentence."""
    parts: Sequence[AdvicePart]
    """Scheme, interval, test and precision."""
    alternatives: Sequence[tuple[str, str]]
    """Other schemes that fit, with what speaks for each."""
    cautions: Sequence[str]
    """What limits the advice."""
    request_text: str
    """The part of a request, as JSON."""
    columns: Sequence[str]
    """What ``columns`` of the request must name."""


def build_situation(values: Fields) -> dict[str, object]:
    """Return the request for advice that the form makes; the service checks it as any other.

    What cannot be read as a number is left as text, so that the refusal names it.
    """
    situation: dict[str, object] = {}
    for name in NUMBERS:
        if text := read_text(values, name):
            situation[name] = read_number(text)
    if question := read_text(values, "question"):
        situation["question"] = question
    if "time_ordered" in values:
        situation["time_ordered"] = True
    n = situation.get("n")
    sources = _read_sizes(read_text(values, "source_sizes") or "", n)
    if sources:
        situation["source_sizes"] = sources
    classes = _read_sizes(read_text(values, "class_counts") or "", n)
    if classes:
        situation["class_counts"] = {f"class {i}": size for i, size in enumerate(classes, start=1)}
    return situation


def _read_sizes(text: str, n: object) -> list[object]:
    """Return the rows of each part; a single number is the number of parts of equal size."""
    sizes: list[object] = [read_number(part.strip()) for part in text.split(",") if part.strip()]
    if len(sizes) != 1 or not isinstance(n, int):
        return sizes
    (n_parts,) = sizes
    if not isinstance(n_parts, int) or not 1 <= n_parts <= min(n, MOST_PARTS):
        return sizes
    return [n // n_parts + (place < n % n_parts) for place in range(n_parts)]


def describe_advice(advice: Advice) -> AdviceView:
    """Return what the page shows of an advice."""
    scheme = advice.scheme
    parts = [
        AdvicePart(
            name="scheme",
            title="How to divide the rows",
            sentence=_describe_scheme(scheme),
            reasons=_show(scheme.reasons),
        )
    ]
    if advice.interval is not None:
        interval = advice.interval
        parts.append(
            AdvicePart(
                name="interval",
                title="Which interval the result will recommend",
                sentence=f"{_name_interval(interval.method, interval.variance)}, for the mean loss "
                f"{describe_target(interval.target)}.",
                reasons=_show(interval.reasons),
            )
        )
    if advice.test is not None:
        test = advice.test
        sentence = f"{_name_interval(test.method, test.variance)}, of the difference."
        if test.alternative is not None:
            title = PAIRED_TESTS[test.alternative].info.title
            sentence += f" The paired test with the largest power was: {title}."
        parts.append(
            AdvicePart(
                name="test",
                title="What decides between two models",
                sentence=sentence,
                reasons=_show(test.reasons),
            )
        )
    if advice.precision is not None:
        parts.append(_describe_precision(advice.precision))
    return AdviceView(
        headline=_write_headline(scheme),
        parts=parts,
        alternatives=[
            (_name_scheme(other.name, other.parameters), other.reason.reason)
            for other in advice.alternatives
        ],
        cautions=advice.cautions,
        request_text=orjson.dumps(dict(advice.request), option=orjson.OPT_INDENT_2).decode(),
        columns=[f"{role}: {text}" for role, text in scheme.columns.items()],
    )


def _write_headline(scheme: AdvisedScheme) -> str:
    return f"Use {_name_scheme(scheme.name, scheme.parameters)}."


def _name_scheme(name: str, parameters: Mapping[str, object]) -> str:
    """Return a scheme as a title with its wire name and parameters."""
    inside = ", ".join([name, *(f"{key} = {value}" for key, value in parameters.items())])
    title = SCHEMES[name].info.title
    return f"{title[:1].lower()}{title[1:]} ({inside})"


def _describe_scheme(scheme: AdvisedScheme) -> str:
    folds = count(scheme.folds, "test part")
    repeats = f", {count(scheme.repeats, 'time')}" if scheme.repeats > 1 else ""
    fits = f"{count(scheme.n_fits, 'fit')} of all models together"
    time = "" if scheme.seconds is None else f", about {write_duration(scheme.seconds)}"
    return f"{capitalise(folds)}{repeats}: {fits}{time}."


def _name_interval(method: str, variance: str | None) -> str:
    title = INTERVALS[method].info.title
    if variance is None:
        return title
    return f"{title} with the variance {VARIANCES[variance].info.title} ({variance})"


def _describe_precision(precision: AdvisedPrecision) -> AdvicePart:
    numbers = (
        ("Half-width of the interval of one model", precision.half_width),
        ("Half-width of the interval of a difference", precision.half_width_of_difference),
        ("Smallest difference that is likely to be found", precision.detectable_difference),
        ("Chance to find a difference as large as the margin", precision.power_at_margin),
        ("Standard deviation of the losses that was assumed", precision.loss_spread),
    )
    half_width = format_number(_round(precision.half_width))
    return AdvicePart(
        name="precision",
        title="What precision to expect",
        sentence=f"A mean loss will be known to about ± {half_width}.",
        reasons=_show(precision.reasons),
        table=Table(
            caption="Expected precision, in units of the loss",
            columns=["Number", "Value"],
            rows=[[name, Number(_round(value))] for name, value in numbers if value is not None],
        ),
    )


def _round(value: float) -> float:
    """Return a number with two significant digits; more would promise too much."""
    return float(f"{value:.2g}")


def _show(reasons: Sequence[AdviceReason]) -> list[ShownReason]:
    return [
        ShownReason(text=reason.reason, sources=[_show_source(each) for each in reason.sources])
        for reason in reasons
    ]


def _show_source(source: str) -> tuple[str, str]:
    """Return the text of a source, and the path of its page; empty where there is none."""
    path = PAGE_OF_DOCUMENT.get(source, source if source.startswith("/") else "")
    return source, path
