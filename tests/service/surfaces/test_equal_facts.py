"""Every surface says the same of a result, and what it says is in the result."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.cases import each
from tests.service.surfaces.facts import find_faults
from tests.service.surfaces.rendering import FINDINGS, FULL, HEADLINES, RENDER
from tests.service.surfaces.results import EXAM_GATE, GATES, find_result, list_names

pytestmark = pytest.mark.usefixtures("small_by_default")

DENIAL = "Nothing here says how the models do on more data from the same schools."
SOWN = (
    ("0.533 to 0.703", "0.533 to 0.708", (*FINDINGS, *FULL)),
    ("0.618", "0.681", (*FINDINGS, *FULL)),
    ("p = 0.0029", "p = 0.029", (*FINDINGS, *FULL)),
    ("ridge is better than forest and", "forest is better than ridge and", HEADLINES),
    ("ridge is better(?! than)", "neighbours is better", FULL),
    ("Gate: fail", "Gate: pass", (*FINDINGS, *FULL)),
    ("badge-fail", "badge-pass", ("list",)),
    ("failure( |>)", r"error\1", ("junit",)),
    ('"gate":"fail"', '"gate":"undecided"', ("webhook",)),
    ('"verdict":"better"', '"verdict":"mixed"', ("webhook",)),
    ("Better</span>", "Worse</span>", ("list",)),
    ("The variance leaves out what", "The variance is fine", (*FINDINGS, *FULL)),
    (
        "two that overlap may still differ.",
        f"two that overlap may still differ. {DENIAL}",
        ("terminal", "page", "markdown", "notebook", "junit", "webhook"),
    ),
)
"""A pattern in what is shown of a result, what is put in its place, and where."""


@cache
def render_all(name: str) -> dict[str, str]:
    """Return what every surface writes of a result."""
    request, result = find_result(name)
    return {surface: render(request, result) for surface, render in RENDER.items()}


@each("name", list_names())
def test_exact_every_surface_has_the_facts_of_the_result(name: str) -> None:
    _, result = find_result(name)

    assert find_faults(render_all(name), result) == []


@each("outcome", GATES)
def test_exact_the_gates_have_their_outcomes(outcome: str) -> None:
    assert find_result(f"gate: {outcome}")[1]["gate"]["outcome"] == outcome


@each("text,wrong,surfaces", SOWN)
def test_exact_a_wrong_fact_on_one_surface_is_found(
    text: str, wrong: str, surfaces: tuple[str, ...]
) -> None:
    texts, (_, result) = render_all(EXAM_GATE), find_result(EXAM_GATE)
    for surface in surfaces:
        sown = re.sub(text, wrong, texts[surface])
        assert sown != texts[surface], (surface, text)
        assert find_faults({**texts, surface: sown}, result), (surface, text)


def test_exact_faults_are_sown_in_every_surface() -> None:
    assert {surface for *_, surfaces in SOWN for surface in surfaces} == set(RENDER)
