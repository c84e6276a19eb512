"""Learning curves as text: the error at each size, and whether more data would help."""

from __future__ import annotations

from collections.abc import Iterator

from thetahat_client.results import CurveDict, LearningCurveResultDict
from thetahat_client.text.metrics import choose_metric_columns
from thetahat_client.text.models import TARGETS, describe_target, find_recommended_intervals
from thetahat_client.text.page import Page, format_ends, format_interval, format_number


def write_curves(result: LearningCurveResultDict, page: Page) -> str:
    """Return each learner's curve as a table, and its conclusions in words."""
    return "\n\n".join(
        "\n".join(
            [
                build_curve_table(name, curve, page),
                *page.format_paragraphs(_list_conclusions(curve)),
            ]
        )
        for name, curve in result["curves"].items()
    )


def build_curve_table(name: str, curve: CurveDict, page: Page) -> str:
    """Return one row per size: training rows, mean loss, recommended intervals, metrics."""
    points = curve["points"]
    targets = [
        t for t in TARGETS if any(t in find_recommended_intervals(point) for point in points)
    ]
    metrics = choose_metric_columns(points, targets[0] if targets else None, page)
    headings = [column.heading for column in metrics]
    header = [
        f"{name}: size",
        "rows",
        "macro mean",
        *(describe_target(target, page) for target in targets),
        *headings,
    ]
    rows = [
        [
            str(point["size"]),
            f"{point['n_train']['mean']:.6g}",
            format_number(point["mean"]["macro"]),
            *(format_interval(find_recommended_intervals(point).get(target)) for target in targets),
            *(column.format_cell(point) for column in metrics),
        ]
        for point in points
    ]
    return page.format_table(header, rows)


def _list_conclusions(curve: CurveDict) -> Iterator[str]:
    """Yield the sentences about a curve."""
    saturation = curve["saturation"]
    reason = str(saturation["reason"]).removesuffix(".")
    yield f"{saturation['decision'].replace('_', ' ').upper()}  {reason}."
    law = curve.get("power_law")
    if law is not None:
        now, twice = law["at_all_rows"], law["at_twice_as_many"]
        ends_now = format_ends(now["lower"], now["upper"])
        ends_twice = format_ends(twice["lower"], twice["upper"])
        yield (
            f"The power law {law['formula']} predicts an error of {format_number(now['estimate'])} "
            f"({ends_now}) from all {now['n']} rows, and of "
            f"{format_number(twice['estimate'])} ({ends_twice}) from {twice['n']}."
        )
