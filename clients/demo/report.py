"""The text that the demo prints about its two results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thetahat_presentation.parts.models import build_interval, find_recommended
from thetahat_presentation.renderers.cells import cell_text
from thetahat_presentation.renderers.text import Page
from thetahat_presentation.showing import show

PAGE: Final = Page()
Result = Mapping[str, Any]


def describe_result(title: str, question: str, result: Result) -> str:
    """Return the verdict and the tables of a result under a heading."""
    return f"{title}\n{'=' * len(title)}\n{question}\n\n{PAGE.write(show(result))}"


def explain_difference(by_school: Result, at_random: Result) -> str:
    """Return, in words and with the numbers, why random folds and left-out schools disagree."""
    schools, folds = by_school["models"], at_random["models"]
    rows = [
        f"  {name:<12}{_read_mean(folds[name]):>14.3f}{_read_mean(schools[name]):>18.3f}"
        f"{_read_mean(schools[name]) - _read_mean(folds[name]):>12.3f}"
        for name in schools
    ]
    head = f"  {'mean loss':<12}{'random folds':>14}{'left-out school':>18}{'rise':>12}"
    parts = [
        "Why the two differ\n==================",
        "\n".join([head, *rows]),
        fill(
            "With random folds, the training part holds other pupils of the school that is tested. "
            "With one school left out at a time it does not: every school is new to the model "
            "that it is tested with."
        ),
        fill(_explain_forest(by_school, at_random)),
        fill(_explain_means(by_school, at_random)),
        fill(
            "The two evaluations answer different questions. Random folds say how well a learner "
            "does on more pupils of these very schools. Leaving schools out says how well it does "
            "in a school that is not in the data. If the model is to be used in new schools, "
            "random folds promise too much."
        ),
        fill(_explain_intervals(by_school, at_random)),
    ]
    return "\n\n".join(parts)


def list_results(files: Mapping[str, str], evaluations: Mapping[str, str]) -> str:
    """Return where the whole results are.

    Parameters
    ----------
    files : Mapping
        File of the result, by title.
    evaluations : Mapping
        Id of the evaluation, by title.
    """
    lines = ["The whole results, with every estimator, interval and test:"]
    lines += [f"  {title}: {path}" for title, path in files.items()]
    lines += ["The service has stored them. Start it with `make serve` to read them again:"]
    for title, identifier in evaluations.items():
        lines += [
            f"  {title}:",
            f"    http://127.0.0.1:8000/evaluations/{identifier} (a page for the browser)",
            f"    .venv/bin/thetahat result {identifier}",
            f"    http://127.0.0.1:8000/v1/evaluations/{identifier}/result",
        ]
    return "\n".join([*lines, "  all requests that it takes: http://127.0.0.1:8000/docs"])


def fill(text: str) -> str:
    """Return a paragraph."""
    return "\n".join(PAGE.format_paragraphs([text], bullet="", indent=""))


def _explain_forest(by_school: Result, at_random: Result) -> str:
    gap_random = _compute_gap(at_random, "forest", "ridge")
    gap_school = _compute_gap(by_school, "forest", "ridge")
    numbers = (
        "With random folds the mean loss of forest is "
        f"{_read_mean(at_random['models']['forest']):.3f} and that of ridge "
        f"{_read_mean(at_random['models']['ridge']):.3f}, a difference of {gap_random:+.4f} "
        f"({_describe_decision(at_random)}). With left-out schools it is "
        f"{_read_mean(by_school['models']['forest']):.3f} against "
        f"{_read_mean(by_school['models']['ridge']):.3f}, a difference of {gap_school:+.4f} "
        f"({_describe_decision(by_school)})."
    )
    if gap_school <= gap_random:
        return f"{numbers} Here the forest does not lose by it."
    return (
        "The features of a school (its average intake score, for example) are the same for all its "
        "pupils. A forest can recognise a school by them and learn the level of that school: it "
        f"gains where it has seen the school, and loses where it has not. {numbers} Ridge, one "
        "straight line for all schools, has less to recognise a school by, and its loss rises less."
    )


def _explain_intervals(by_school: Result, at_random: Result) -> str:
    ridge = by_school["models"]["ridge"]
    these_schools = find_recommended(at_random["models"]["ridge"])["these_sources"]
    new_school = find_recommended(ridge)["new_source"]
    return (
        "The intervals, too, are about different things. For these schools, random folds give "
        f"ridge an interval of {_write_ends(these_schools)}. For its expected loss in a new "
        f"school the interval is {_write_ends(new_school)}, because there the sample is "
        f"{ridge['blocks']} schools and not {ridge['n']} pupils. The mean loss that one more "
        "school of about this size would show lies, about 95 times in 100, within "
        f"{_write_ends(ridge['prediction'])}."
    )


def _explain_means(by_school: Result, at_random: Result) -> str:
    pooled = [
        f"{at_random['models'][name]['mean']['pooled']:.3f} to "
        f"{by_school['models'][name]['mean']['pooled']:.3f} for {name}"
        for name in ("ridge", "forest")
    ]
    return (
        "A part of each rise is due to the kind of mean: the macro mean over schools counts a "
        "small school as much as a large one. The pooled means, which count pupils, rise from "
        f"{' and from '.join(pooled)}."
    )


def _write_ends(interval: Mapping[str, Any]) -> str:
    return cell_text(build_interval(interval))


def _compute_gap(result: Result, a: str, b: str) -> float:
    """Return the macro mean loss of model a minus that of model b."""
    return _read_mean(result["models"][a]) - _read_mean(result["models"][b])


def _describe_decision(result: Result) -> str:
    """Return the verdict on ridge and forest, as a phrase about the two."""
    for pair in result["comparisons"]:
        if {pair["a"], pair["b"]} == {"ridge", "forest"}:
            return f"verdict on {pair['a']} against {pair['b']}: {pair['verdict']['decision']}"
    return "no verdict"


def _read_mean(model: Mapping[str, Any]) -> float:
    """Return the macro mean loss of a model."""
    return float(model["mean"]["macro"])
