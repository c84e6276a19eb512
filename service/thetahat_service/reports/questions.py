"""The question that an evaluation answers, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from thetahat_service.pages.texts import describe_target, join_words, write_number

Json = Mapping[str, Any]
MAX_NAMES: Final = 6


def describe_question(kind: str, request: Json, result: Json) -> list[str]:
    """Return the question of an evaluation, and what the answer allows for, as sentences."""
    ask = QUESTIONS.get(kind)
    if ask is not None:
        return ask(result)
    if "models" not in result:
        return []
    return _ask_about_models(request, result)


def list_names(names: list[str]) -> str:
    """Return names as a list of a sentence; of many the first ones and how many more there are."""
    if len(names) <= MAX_NAMES:
        return join_words(names)
    shown = names[: MAX_NAMES - 1]
    return join_words([*shown, f"{len(names) - len(shown)} others"])


def _ask_about_models(request: Json, result: Json) -> list[str]:
    summary = result["summary"]
    unit = result.get("unit", {}).get("singular", "source")
    is_score = summary.get("better", request.get("better", "lower")) == "higher"
    quantity = "mean score" if is_score else "mean loss"
    about = describe_target(summary["target"], unit)
    names = list(result["models"])
    if len(names) == 1:
        question = f"How large is the {quantity} of {names[0]} {about}?"
    else:
        extreme = "highest" if is_score else "lowest"
        question = (
            f"Which of the {len(names)} models {list_names(names)} has the {extreme} {quantity} "
            f"{about}, and is the difference more than chance?"
        )
    sentences = [question]
    margin = request.get("margin")
    if margin is not None:
        sentences.append(f"Differences of up to {write_number(margin)} do not matter.")
    return sentences


def _ask_bootstrap(result: Json) -> list[str]:
    statistic = result["statistic"].replace("_", " ")
    if "components" in result:
        return [f"What are the components of the {statistic}, and how uncertain are they together?"]
    return [f"How large is the {statistic}, and how uncertain is it?"]


def _ask_selection(result: Json) -> list[str]:
    question = (
        f"Which of {write_number(len(result['internal']))} candidates does the selection choose, "
        "and by how much is the error at which it was chosen too good?"
    )
    return [question]


def _ask_curve(result: Json) -> list[str]:
    names = list_names(list(result["curves"]))
    return [f"How does the error of {names} fall with more training data, and would more help?"]


def _ask_importance(result: Json) -> list[str]:
    question = (
        "How large is the error in the target population, estimated from weighted source rows by "
        f"{list_names(list(result['risks']))}, and which candidate does each of them select?"
    )
    return [question]


def _ask_weights(result: Json) -> list[str]:
    question = (
        f"Which weights ({result['weights']['method']}) make the source sample like the target "
        "sample, and how many rows are the weighted rows worth?"
    )
    return [question]


def _ask_study(result: Json) -> list[str]:
    del result
    return ["How do the estimators behave where the truth is known?"]


QUESTIONS: Final[Mapping[str, Callable[[Json], list[str]]]] = {
    "bootstrap": _ask_bootstrap,
    "selection": _ask_selection,
    "learning_curve": _ask_curve,
    "importance_weighting": _ask_importance,
    "weights": _ask_weights,
    "study": _ask_study,
}
