"""``thetahat compare``: models compared by a file of losses or scores, without a server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from thetahat_service.cli import compared_files, recomputation
from thetahat_service.cli.evaluate_once import Margin, OptionalUrl
from thetahat_service.cli.output import print_json, print_result, write_text

if TYPE_CHECKING:
    from thetahat.values.json_values import JsonValue

MARGIN_ADVICE: Final = "Differences that do not matter: --margin."
ADVICE: Final = "Other questions of the file: thetahat inspect FILE."
"""What is said below a result; the first of them where no margin is given."""


@compared_files.takes_file_options
def compare(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Table with a row for each test instance and a column of losses or scores for "
            "each model; table with a row for each item and model; or files of inspect_ai, "
            "lm-evaluation-harness, promptfoo, HELM, DeepEval, every_eval_ever or OpenAI Evals, "
            "and folders.",
        ),
    ],
    *,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="COLUMN",
            help="Column of a model; may be repeated. For logs, the name of the model of each.",
        ),
    ] = None,
    options: compared_files.FileOptions,
    pass_at: Annotated[
        list[int] | None,
        typer.Option(
            help="A number k of runs: how often at least one of k runs of an item succeeds; may be "
            "repeated."
        ),
    ] = None,
    margin: Margin = None,
    level: Annotated[float, typer.Option(help="Confidence level of intervals.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help="Print every model, verdict and caution.")
    ] = False,
    markdown: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the result as Markdown; - is standard output."),
    ] = None,
    bundle: recomputation.BundleFile = None,
    notebook: recomputation.NotebookFile = None,
    url: OptionalUrl = None,
) -> None:
    """Compare models by their losses in a file, and say which is better and how certain that is."""
    options = replace(options, models=tuple(model or ()))
    fields: dict[str, JsonValue] = {
        "level": level,
        "include": "all" if show_all or as_json else ["omnibus"],
    }
    if pass_at:
        fields["pass_at"] = pass_at
    if margin is not None:
        fields["margin"] = margin
    computed = compared_files.evaluate_files(files, options, fields, url)
    recomputation.write_files(computed, bundle, notebook)
    result = computed.result
    if markdown is not None:
        from thetahat_client.text import result_markdown

        write_text(markdown, result_markdown(result, show_all=show_all))
    elif as_json:
        print_json(result)
    else:
        advice = (ADVICE,) if margin is not None else (MARGIN_ADVICE, ADVICE)
        print_result(result, show_all=show_all, advice=advice)
