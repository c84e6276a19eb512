"""The LaTeX of results, by a strict parser: no TeX is needed to run the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.clients.latex_source import LatexFault, parse_latex
from tests.golden.replay import names, request_of, run_request
from thetahat_client.text import result_latex
from thetahat_presentation.renderers.latex import escape_latex

NASTY: Final = 'a_b & {c}% $d$ #1 ~e ^2 \\cmd [x] <y> | `q\' "z" -1 – “w” ≤ ±'
KINDS: Final = (
    "bootstrap_mean",
    "cross_validation_metrics_sources",
    "importance_weighting_all_risks",
    "learning_curve_sources",
    "losses_many_models_all_omnibus",
    "losses_source_all_that_apply",
    "predictions_source_metrics",
    "selection_nested",
    "weights_given",
)


@pytest.mark.parametrize("name", KINDS)
def test_exact_every_table_is_sound(name: str, tmp_path: Path) -> None:
    assert name in names()
    result, _ = run_request(request_of(name), tmp_path)

    parsed = parse_latex(result_latex(result, show_all=True))

    assert parsed.tables
    assert all(len(table) > 1 for table in parsed.tables)


def test_exact_names_with_every_special_character_are_printed() -> None:
    other = "50% of_x"
    losses: dict[str, Any] = {NASTY: [[0.5, 0.25], [0.75, 0.5]], other: [[1, 0.5], [0.25, 1]]}
    import thetahat

    result = thetahat.to_json(thetahat.evaluate(losses, blocks="source"))
    parsed = parse_latex(result_latex({"kind": "losses", **result}, show_all=True))

    first_column = [row[0] for table in parsed.tables for row in table]
    assert escape_latex(NASTY) in first_column
    assert escape_latex(other) in first_column


@pytest.mark.parametrize(
    "source",
    [
        "50 % of it",
        "a_b",
        "a & b",
        "{",
        "}",
        r"\input{file}",
        r"\begin{tabular}{lr}" + "\na & b & c \\\\\n" + r"\end{tabular}",
        r"\begin{tabular}{lr}" + "\na & b\n" + r"\end{tabular}",
        r"\begin{tabular}{lr}" + "\na & b \\\\\n",
        r"\begin{itemize}\end{tabular}",
        "$x^2$",
        r"\textlessx",
    ],
)
def test_invalid_the_parser_refuses_what_is_not_sound(source: str) -> None:
    with pytest.raises(LatexFault):
        parse_latex(source)
