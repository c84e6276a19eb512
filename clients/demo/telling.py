"""What the demo says about its two results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thetahat_client.tables import ends, interval_of, models_table, recommended, verdicts, wrapped

WIDTH = 96
Result = Mapping[str, Any]


def one_result(title: str, question: str, result: Result) -> str:
    """Return the table of means and the verdicts under a heading."""
    sentences = "\n".join(wrapped(verdicts(result), WIDTH))
    heading = f"{title}\n{'=' * len(title)}\n{question}"
    return f"{heading}\n\n{models_table(result, WIDTH)}\n\nOf each pair of learners:\n{sentences}"


def why_they_differ(by_school: Result, at_random: Result) -> str:
    """Return, in words and with the numbers, why random folds and left-out schools disagree."""
    schools, folds = by_school["models"], at_random["models"]
    rows = [
        f"  {name:<12}{_macro(folds[name]):>14.3f}{_macro(schools[name]):>18.3f}"
        f"{_macro(schools[name]) - _macro(folds[name]):>12.3f}"
        for name in schools
    ]
    head = f"  {'mean loss':<12}{'random folds':>14}{'left-out school':>18}{'rise':>12}"
    parts = [
        "Why the two differ\n==================",
        "\n".join([head, *rows]),
        fill(
            "With random folds, pupils of the school under test are in the training part too. With "
            "one school left out at a time they are not: every school is new to the model that it "
            "is tested with."
        ),
        fill(_about_forest(by_school, at_random)),
        fill(_about_means(by_school, at_random)),
        fill(
            "So the two answer different questions. Random folds (CVR) say how well a learner does "
            "on more pupils of these very schools. Leaving a school out (CVS) says how well it "
            "does in a school that is not in the data. Whoever will use the model in new schools "
            "and goes by random folds expects too much."
        ),
        fill(_about_intervals(by_school, at_random)),
    ]
    return "\n\n".join(parts)


def where_to_read(saved: Mapping[str, str], evaluations: Mapping[str, str]) -> str:
    """Return where the whole results are.

    Parameters
    ----------
    saved : Mapping
        File by title.
    evaluations : Mapping
        Evaluation's id by title.
    """
    lines = ["The whole results, with every estimator, interval and test:"]
    lines += [f"  {title}: {path}" for title, path in saved.items()]
    lines += ["They are kept. Start `make serve`, and read them again:"]
    for title, identifier in evaluations.items():
        lines += [
            f"  {title}:",
            f"    .venv/bin/thetahat result {identifier}",
            f"    http://127.0.0.1:8000/v1/evaluations/{identifier}/result",
        ]
    return "\n".join([*lines, "  what else can be asked: http://127.0.0.1:8000/docs"])


def _about_forest(by_school: Result, at_random: Result) -> str:
    gap_random = _gap(at_random, "forest", "ridge")
    gap_school = _gap(by_school, "forest", "ridge")
    numbers = (
        f"On random folds forest's mean loss is {_macro(at_random['models']['forest']):.3f} and "
        f"ridge's {_macro(at_random['models']['ridge']):.3f}, a difference of {gap_random:+.4f} "
        f"({_decision(at_random)}). On left-out schools it is "
        f"{_macro(by_school['models']['forest']):.3f} against "
        f"{_macro(by_school['models']['ridge']):.3f}, a difference of {gap_school:+.4f} "
        f"({_decision(by_school)})."
    )
    if gap_school <= gap_random:
        return f"{numbers} Here the forest does not lose by it."
    return (
        "The features of a school (its average intake score among them) are the same for all its "
        "pupils, so a forest can know a school again by them and learn that school's own level: it "
        f"gains where it has seen the school, and loses where it has not. {numbers} Ridge, one "
        "straight line for all schools, has less to recognise a school by, and rises less."
    )


def _about_intervals(by_school: Result, at_random: Result) -> str:
    ridge = by_school["models"]["ridge"]
    return (
        "The intervals speak of different things too. Ridge's for these schools from random folds "
        f"is {ends(recommended(at_random['models']['ridge'])['these_sources'])}; for the expected "
        f"loss in a new school it is {ends(recommended(ridge)['new_source'])}, because there the "
        f"sample is {ridge['blocks']} schools and not {ridge['n']} pupils. What one more school of "
        f"about this size would show on its own lies, about 95 times in 100, within "
        f"{ends(interval_of(ridge, 'prediction'))}."
    )


def _about_means(by_school: Result, at_random: Result) -> str:
    pooled = [
        f"{at_random['models'][name]['mean']['pooled']:.3f} to "
        f"{by_school['models'][name]['mean']['pooled']:.3f} for {name}"
        for name in ("ridge", "forest")
    ]
    return (
        "A part of each rise is only in the counting: the macro mean over schools counts a small "
        f"school as much as a large one. The pooled means rise from {' and from '.join(pooled)}."
    )


def _gap(result: Result, a: str, b: str) -> float:
    return _macro(result["models"][a]) - _macro(result["models"][b])


def _decision(result: Result) -> str:
    """Return the verdict on ridge and forest, as a phrase about the two."""
    for pair in result["comparisons"]:
        if {pair["a"], pair["b"]} == {"ridge", "forest"}:
            words = str(pair["verdict"]["decision"]).replace("_", " ")
            asked = f"{pair['a']} against {pair['b']}"
            return f"verdict on {asked}: {words}"
    return "no verdict"


def _macro(model: Mapping[str, Any]) -> float:
    return float(model["mean"]["macro"])


def fill(text: str) -> str:
    """Return a paragraph."""
    return "\n".join(wrapped([text], WIDTH, bullet="", indent=""))
