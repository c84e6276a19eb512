"""The cautions of what is shown of a result, each of them once, the most serious first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from thetahat_client.result_types import AnyComparison, JsonObject, has_models, list_comparisons
from thetahat_client.results import AnyResult, CautionDict, CautionPlaceDict, ModelResultDict
from thetahat_client.text.metrics import find_metrics, iterate_metric_differences
from thetahat_client.text.models import (
    PREDICTION_WORDS,
    describe_target,
    find_prediction,
    find_recommended_intervals,
)
from thetahat_client.text.page import Page

AnyCaution: TypeAlias = CautionDict | CautionPlaceDict
"""A caution; those of comparisons in brief have a code alone."""

MOST_SHOWN: Final = 3
DEFAULT_PAGE: Final = Page()
SEVERITIES: Final = ("serious", "warning", "info")


@dataclass(frozen=True, slots=True)
class _Place:
    """What a caution is about: a model or a pair, and one of its numbers; empty for all."""

    name: str = ""
    number: str = ""


@dataclass(slots=True)
class _Group:
    """The cautions of one code."""

    caution: AnyCaution
    places: list[_Place] = field(default_factory=list)


def write_cautions_section(result: AnyResult, page: Page, *, show_all: bool) -> str:
    """Return the section of the cautions; nothing where there are none."""
    sentences, n_hidden = list_cautions(result, page, show_all=show_all)
    if n_hidden:
        note = "1 more caution" if n_hidden == 1 else f"{n_hidden} more cautions"
        sentences.append(f"{note}: {page.all_option} shows every one")
    return page.format_section("Cautions", sentences)


def list_cautions(
    result: AnyResult, page: Page = DEFAULT_PAGE, *, show_all: bool = True
) -> tuple[list[str], int]:
    """Return the cautions as sentences, and how many are left out.

    Cautions of one code become one sentence that names all models they are about. Cautions of
    methods that are not shown are neither returned nor counted.

    Parameters
    ----------
    page : Page
        Has the word for a source.
    show_all : bool
        Whether to return every caution, or the three most serious ones without the mere notes.
    """
    groups: dict[str, _Group] = {}
    for place, caution in _iterate_shown_cautions(result, page):
        group = groups.setdefault(str(caution.get("code")), _Group(caution))
        if _rank(caution) < _rank(group.caution):
            group.caution = caution
        group.places.append(place)
    models = list(result["models"]) if has_models(result) else []
    ordered = sorted(groups.values(), key=lambda group: _rank(group.caution))
    if show_all:
        return [_write_sentence(group, models) for group in ordered], 0
    shown = [group for group in ordered if group.caution.get("severity") != "info"][:MOST_SHOWN]
    return [_write_sentence(group, models) for group in shown], len(ordered) - len(shown)


def _rank(caution: AnyCaution) -> int:
    """Return the place of a caution's severity; a result of an older release has none."""
    severity = caution.get("severity", "warning")
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def _write_sentence(group: _Group, models: Sequence[str]) -> str:
    """Return one sentence about all models and metrics that have this caution."""
    caution = group.caution
    label = "SERIOUS  " if caution.get("severity") == "serious" else ""
    names = list(dict.fromkeys(place.name for place in group.places if place.name))
    numbers = list(dict.fromkeys(place.number for place in group.places if place.number))
    subject = "all models" if len(models) > 1 and names == models else ", ".join(names)
    subject += f" ({', '.join(numbers)})" if numbers else ""
    subject += ": " if subject else ""
    message = str(caution.get("message") or caution.get("code"))
    advice = f" {text}" if (text := caution.get("advice")) else ""
    return f"{label}{subject}{message}{advice}"


def _iterate_shown_cautions(result: AnyResult, page: Page) -> Iterator[tuple[_Place, AnyCaution]]:
    """Yield the cautions of what is shown, with what each is about."""
    if not has_models(result):
        yield from _iterate_all_cautions(cast("JsonObject", result))
        return
    yield from _iterate_cautions(result["cautions"], _Place())
    for name, model in result["models"].items():
        yield from _iterate_model_cautions(name, model, page)
    if "curves" in result:
        for name, curve in result["curves"].items():
            yield from _iterate_cautions(curve["cautions"], _Place(name))
    for pair in list_comparisons(result):
        yield from _iterate_pair_cautions(pair)


def _iterate_model_cautions(
    name: str, model: ModelResultDict, page: Page
) -> Iterator[tuple[_Place, AnyCaution]]:
    for target, interval in find_recommended_intervals(model).items():
        place = _Place(name, describe_target(target, page))
        yield from _iterate_cautions(interval["cautions"], place)
    if prediction := find_prediction(model):
        place = _Place(name, PREDICTION_WORDS.format(block=page.block))
        yield from _iterate_cautions(prediction["cautions"], place)
    for metric, estimate in find_metrics(model).items():
        for part in (estimate, *find_recommended_intervals(estimate).values()):
            yield from _iterate_cautions(part["cautions"], _Place(name, metric))


def _iterate_pair_cautions(pair: AnyComparison) -> Iterator[tuple[_Place, AnyCaution]]:
    name = f"{pair['a']} against {pair['b']}"
    yield from _iterate_cautions(pair["cautions"], _Place(name))
    for metric, difference in iterate_metric_differences(pair):
        if "cautions" in difference:
            yield from _iterate_cautions(difference["cautions"], _Place(name, metric))


def _iterate_cautions(
    cautions: Iterable[AnyCaution], place: _Place
) -> Iterator[tuple[_Place, AnyCaution]]:
    return ((place, caution) for caution in cautions)


def _iterate_all_cautions(
    part: JsonObject, path: tuple[str, ...] = ()
) -> Iterator[tuple[_Place, AnyCaution]]:
    cautions = cast("Sequence[CautionDict]", part.get("cautions", ()))
    yield from _iterate_cautions(cautions, _Place(".".join(path)))
    for key, value in part.items():
        if isinstance(value, Mapping) and key != "provenance":
            yield from _iterate_all_cautions(value, (*path, str(key)))
