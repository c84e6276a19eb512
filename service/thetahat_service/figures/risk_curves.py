"""Risks along the grid of a parameter, with the values that they select."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from thetahat_presentation.captions import phrase, write_level
from thetahat_presentation.wording import join_words
from thetahat_service.figures.figure import Figure, Result, clean_name
from thetahat_service.figures.lines import Line, LinePlot, build_line_view, needs_log

ORDER: Final = ("weighted", "controlled", "unweighted")
"""Risks whose colours are the same in every figure; the others follow."""
ORACLE: Final = "mean loss on the labelled target"


def build_risk_curves(result: Result) -> Iterator[Figure]:
    """Yield the risks of every learner that has a grid."""
    if "learners" in result and "risks" in result:
        learners = {
            name: learner
            for name, learner in result["learners"].items()
            if isinstance(learner, Mapping) and "grid" in learner
        }
    elif "grid" in result and "risks" in result:
        learners = {"": result}
    else:
        return
    n_folds, n = result.get("n_folds"), (result.get("weights") or {}).get("n")
    for name, learner in learners.items():
        if learner.get("grid") and len(learner["grid"]["values"]) > 1:
            yield _build(name, learner, n_folds, n)


def _build(name: str, learner: Mapping[str, Any], n_folds: int | None, n: int | None) -> Figure:
    grid, risks = learner["grid"], learner["risks"]
    x, categories = place_values(grid["values"])
    order = [risk for risk in ORDER if risk in risks]
    order += [risk for risk in risks if risk not in ORDER]
    lines = [
        Line(
            name=risk,
            x=x,
            y=risks[risk]["curve"],
            lower=risks[risk]["curve_intervals"]["lower"],
            upper=risks[risk]["curve_intervals"]["upper"],
            ringed=(risks[risk]["selected_index"],),
            colour=place,
        )
        for place, risk in enumerate(order)
    ]
    oracle = learner.get("oracle")
    if oracle:
        lines.append(
            Line(
                name=ORACLE,
                x=x,
                y=oracle["curve"],
                ringed=(oracle["selected_index"],),
                is_dashed=True,
                has_points=False,
                colour=-1,
            )
        )
    parameter = grid["parameter"] or "value"
    drawn = LinePlot(
        lines=lines,
        x_title=parameter,
        y_title="estimated risk",
        is_log=not categories and needs_log(x),
        intervals="band",
        categories=categories,
    )
    choices = [f"{risk} selects {_show(risks[risk]['selected'])}" for risk in order]
    rows = "" if n is None else f" over {n} rows"
    folds = "" if n_folds is None else f" in {n_folds} folds"
    level = write_level(next(iter(risks.values()))["curve_intervals"]["level"])
    caption = (
        f"Each line is an estimate of the mean loss under the target distribution{rows}{folds}, "
        f"along {parameter}; bands are {level} normal intervals at each value. A ring is the least "
        "risk, which is selected."
    )
    if oracle:
        caption += f" The dashed line is the {ORACLE}, which the estimates should follow."
    return Figure(
        name=f"risks_{clean_name(name)}" if name else "risks",
        title=f"Risks of {name} along {parameter}" if name else f"Risks along {parameter}",
        caption=caption,
        alt=f"Risks along {len(x)} values of {parameter}: {join_words(choices)}.",
        about=(name,) if name else (),
        view=lambda style: build_line_view(drawn, style),
    )


def place_values(values: Sequence[Any]) -> tuple[list[float], tuple[str, ...]]:
    """Return the positions of a grid's values, and their labels if they are not all numbers."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values], ()
    return [float(place) for place in range(len(values))], tuple(map(_show, values))


def _show(value: Any) -> str:
    return phrase(value) if isinstance(value, int | float) else str(value)
