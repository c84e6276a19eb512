"""A result of any kind as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from thetahat_presentation import kinds
from thetahat_presentation.document import Cell, Document, Json, Name, Number, Section, Table
from thetahat_presentation.expansion import expand_result
from thetahat_presentation.hidden_characters import show_hidden_in
from thetahat_presentation.kinds.base import ModelPair, Presentation
from thetahat_presentation.parts.documents import build_models_document, build_other_document
from thetahat_presentation.parts.headlines import SELECTED
from thetahat_presentation.wording import capitalise, list_names

KINDS: Final = tuple(sorted({module.name for module in iter_modules(kinds.__path__)} - {"base"}))
"""The kinds that have a presentation; each is the name of a file."""
OTHER_FORM: Final = (LookupError, TypeError, AttributeError, ValueError)
"""What is raised where a result lacks a part, or has it in another form, than this release."""


@lru_cache(maxsize=64)
def find_presentation(kind: str) -> Presentation | None:
    """Return how a kind is shown; None for one that this release does not know."""
    if kind not in KINDS:
        return None
    presentation: Presentation = import_module(f"{kinds.__name__}.{kind}").PRESENTATION
    return presentation


def show(result: Json, request: Json | None = None, pair: ModelPair | None = None) -> Document:
    """Return the document of a result, in which hidden characters are shown as escapes.

    Parameters
    ----------
    result : mapping
        The result as JSON. Of a kind that this release does not know, the models or the numbers
        are shown.
    request : mapping or None
        The request, where it is known.
    pair : tuple of str or None
        The models that are compared by source; None for the two best.
    """
    return show_hidden_in(_build_document(expand_result(result), request or {}, pair))


def _build_document(result: Json, request: Json, pair: ModelPair | None) -> Document:
    presentation = find_presentation(str(result.get("kind")))
    if presentation is not None:
        question = presentation.ask(result, request)
        document = replace(presentation.view(result, request, pair), question=question)
        return tell_plan(document, result.get("protocol"))
    if "models" in result:
        return build_models_document(result, request, pair)
    return _list_numbers(result, [])


def tell_plan(document: Document, protocol: Json | None) -> Document:
    """Return a document whose findings begin with how the plan was followed, if there is one."""
    if protocol is None:
        return document
    sentence = str(protocol["sentence"])
    findings = document.findings
    return replace(
        document,
        findings=replace(findings, sentences=[sentence, *findings.sentences]),
        sentences=[sentence, *document.sentences],
        n_first=document.n_first + 1,
    )


def show_other_form(result: Json) -> Document:
    """Return the document of a result for which ``show`` raised one of ``OTHER_FORM``.

    The result is that of another release: its numbers are listed, without those in lists.
    """
    provenance = result.get("provenance")
    known = provenance if isinstance(provenance, Mapping) else {}
    made_by = (
        "This result was made by another release of thetahat (version "
        f"{known.get('version', 'unknown')}), in a form that this release cannot put into words."
    )
    what_to_do = (
        "Its numbers are listed here as they are, and the JSON of the result has all of them. "
        "Send the request again for a result of this release."
    )
    return show_hidden_in(_list_numbers(result, [made_by, what_to_do]))


def _list_numbers(result: Json, outcome: Sequence[str]) -> Document:
    numbers: list[list[Cell]] = [
        [Name(name), Number(value)] for name, value in walk_numbers(result)
    ]
    table = Table(caption="Numbers of the result", columns=["Number", "Value"], rows=numbers)
    main = Section(name="main", title="Numbers", tables=[table])
    return build_other_document(result, outcome, main)


def ask(kind: str, result: Json, request: Json) -> list[str]:
    """Return the question that an evaluation answers, as sentences; none of an unknown kind."""
    presentation = find_presentation(kind)
    return [] if presentation is None else show_hidden_in(presentation.ask(result, request))


def name_kind(kind: str) -> str:
    """Return the name of a kind as people write it."""
    presentation = find_presentation(kind)
    return capitalise(kind.replace("_", " ")) if presentation is None else presentation.title


def name_evaluation(name: str | None, kind: str, identifier: object, summary: Json | None) -> str:
    """Return the name of an evaluation; without one its kind and models, or the start of its id."""
    known = summary or {}
    models = [each["name"] for each in known.get("models", ())]
    has_names = models and models != [SELECTED]
    listed = list_names(models, n=known.get("n_models"))
    which = f"of {listed}" if has_names else str(identifier)[:8]
    return name or f"{name_kind(kind)} {which}"


def walk_numbers(values: Json, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield name and value of each number of a result, without those in lists."""
    for key, value in values.items():
        if key == "provenance":
            continue
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{path}{key}", value
        elif isinstance(value, Mapping):
            yield from walk_numbers(value, f"{path}{key}.")
