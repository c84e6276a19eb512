"""The forest plot of a result: what is drawn, where matplotlib is and where it is not."""

from __future__ import annotations

import sys
from typing import Any

import matplotlib as mpl
import pytest

from tests.golden.write_shown import read_case
from tests.presentation.test_findings import evaluate
from thetahat_presentation.parts.models import find_recommended
from thetahat_presentation.shown_result import ShownResult


class Result(ShownResult):
    """A result from its JSON."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON."""
        return self.values


class Axes:
    """Axes that record what is drawn on them; matplotlib's, where the program has them."""

    def __init__(self) -> None:
        self.drawn: list[tuple[list[float], list[int], str]] = []
        self.texts: dict[str, Any] = {}

    def plot(self, x: list[float], y: list[int], form: str = "-", *, color: str) -> None:
        """Record a line or a mark."""
        assert color
        self.drawn.append((x, y, form))

    def set_yticks(self, places: range, *, labels: list[str]) -> None:
        """Record the names."""
        assert len(places) == len(labels)
        self.texts["names"] = labels

    def set_ylim(self, low: float, high: float) -> None:
        """Record the order."""
        self.texts["is_downwards"] = low > high

    def set_xlabel(self, text: str) -> None:
        """Record what is drawn."""
        self.texts["label"] = text

    def set_title(self, text: str, **options: Any) -> None:
        """Record the verdict."""
        assert options
        self.texts["title"] = text


def test_exact_each_model_has_the_interval_of_the_question() -> None:
    _, result = read_case("exam")
    axes = Result(result).plot(Axes())

    assert axes.texts["names"] == ["ridge", "forest", "neighbours"]
    assert axes.texts["is_downwards"]
    assert "on a new school" in axes.texts["label"]
    assert "ridge is better than forest and neighbours" in " ".join(axes.texts["title"].split())
    for place, name in enumerate(axes.texts["names"]):
        interval = find_recommended(result["models"][name])["new_source"]
        ends = [interval["lower"], interval["upper"]]
        assert (ends, [place, place], "-") in axes.drawn
        assert ([interval["estimate"]], [place], "o") in axes.drawn


def test_exact_an_open_end_has_an_arrow() -> None:
    axes = Result(evaluate(2, "random", alternative="less")).plot(Axes())

    assert [form for *_, form in axes.drawn] == ["-", "<", "|", "o"] * 2


def test_invalid_a_result_without_intervals_of_models_is_not_drawn() -> None:
    with pytest.raises(ValueError, match="no intervals of models"):
        Result(read_case("study")[1]).plot(Axes())


def test_exact_without_matplotlib_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(ImportError, match=r"thetahat-presentation\[plot\]"):
        Result(read_case("exam")[1]).plot()


def test_exact_the_plot_is_a_picture(tmp_path: Any) -> None:
    mpl.use("Agg")
    axes = Result(read_case("exam")[1]).plot()
    axes.figure.savefig(tmp_path / "forest.png")

    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "ridge", "forest", "neighbours",
    ]  # fmt: skip
    assert (tmp_path / "forest.png").read_bytes().startswith(b"\x89PNG")
