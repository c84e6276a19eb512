"""``thetahat gate``: a pipeline's question whether a model may be released, as an exit status."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias
from xml.etree import ElementTree as ET

import typer

from thetahat_service.cli import compared_files, recomputation
from thetahat_service.cli.evaluate_once import Margin, OptionalUrl, evaluate
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.output import choose_prose_width, print_json, print_text, write_text
from thetahat_service.cli.requests import read_request

if TYPE_CHECKING:
    from thetahat_client.result_types import ModelsResult
    from thetahat_client.results import GateResultDict
    from thetahat_service.json_types import JsonObject


# The values are those of requests; they stand here so that --help need not load the library.
Require: TypeAlias = Literal["better", "not_worse", "equivalent", "no_group_worse"]
Undecided: TypeAlias = Literal["pass", "fail", "undecided"]


class GateStatus(IntEnum):
    """Exit statuses of the command; 2 is wrong usage, 4 a service that is away."""

    PASS = 0
    FAIL = 1
    UNDECIDED = 3


@compared_files.takes_file_options
def gate(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Table of losses or scores, or logs, as for compare; or the JSON file of a "
            "request; - is a request on standard input.",
        ),
    ],
    *,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="Data set that the request is about."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="The model that is to be released.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="NAME", help="The model that it is compared with.")
    ] = None,
    require: Annotated[
        Require | None, typer.Option(help="What must be shown of the model; else not_worse.")
    ] = None,
    margin: Margin = None,
    undecided: Annotated[
        Undecided | None,
        typer.Option(help="What counts if neither this nor its opposite is shown."),
    ] = None,
    cheaper_by: Annotated[
        float | None,
        typer.Option(
            help="By what share of the other's cost the model must also be cheaper (0.5 is half "
            "the cost, 0 any lower one); needs --cost."
        ),
    ] = None,
    level: Annotated[
        float | None, typer.Option(help="Confidence level of intervals; else 0.95.")
    ] = None,
    options: compared_files.FileOptions,
    junit: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a JUnit report with one test case.")
    ] = None,
    markdown: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the result as Markdown; - is standard output."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the gate as JSON.")] = False,
    bundle: recomputation.BundleFile = None,
    notebook: recomputation.NotebookFile = None,
    url: OptionalUrl = None,
) -> None:
    """Pass only if the data show that a model is better, not worse or equivalent.

    With --group and --require no_group_worse it has to be not worse in every group, and with --cost
    and --cheaper-by it also has to be cheaper.

    The exit status is 0 if the gate passes, 1 if it fails, 3 if it is undecided, 4 if the service
    is away and 2 for a wrong request. Options take the place of the request's own fields.
    """
    named: JsonObject = {
        name: value
        for name, value in {
            "model": model,
            "against": against,
            "require": require,
            "undecided": undecided,
            "cheaper_by": cheaper_by,
        }.items()
        if value is not None
    }
    fields: JsonObject = {
        name: value
        for name, value in {"margin": margin, "level": level}.items()
        if value is not None
    }
    request = _find_request(files)
    if request is not None:
        _refuse_file_options(options)
        in_request = request.get("gate")
        named = {**in_request, **named} if isinstance(in_request, Mapping) else named
        _check_models(named)
        computed = evaluate({**request, **fields, "gate": named}, data, url)
    else:
        if data is not None:
            raise UserError("--data belongs to a request in JSON. Name the files of losses alone.")
        _check_models(named)
        options = replace(options, pair=(str(named["model"]), str(named["against"])))
        computed = compared_files.evaluate_files(
            [Path(file) for file in files], options, {**fields, "gate": named}, url
        )
    from thetahat_client.result_types import has_models

    result = computed.result
    if not has_models(result) or "gate" not in result:
        raise UserError(f"Kind {result['kind']} compares no models, so its result has no gate.")
    outcome = result["gate"]
    recomputation.write_files(computed, bundle, notebook)
    if markdown is not None:
        write_text(markdown, write_markdown(result, computed.identifier))
    if junit is not None:
        write_text(junit, write_junit(result))
    if as_json:
        print_json(dict(outcome))
    elif markdown != "-":
        _print_outcome(outcome)
    if markdown != "-":
        _print_serious_cautions(result, to_errors=as_json)
    raise typer.Exit(GateStatus[outcome["outcome"].upper()])


def _find_request(files: list[str]) -> JsonObject | None:
    """Return the request if the argument is one; None where the arguments are data.

    A file that ends in ``.json`` is a request unless it is a table or a file of an evaluation tool.
    """
    if files == ["-"]:
        return read_request("-")
    if len(files) > 1 or not files[0].lower().endswith(".json") or Path(files[0]).is_dir():
        return None
    with suppress(UserError):
        request = read_request(files[0])
        if "kind" in request:
            return request
    from thetahat_service.in_process.json_files import is_json_data

    return None if is_json_data(Path(files[0])) else read_request(files[0])


def _check_models(named: JsonObject) -> None:
    if not {"model", "against"} <= named.keys():
        raise UserError('Name both models: --model and --against, or "gate" in the request.')


def _refuse_file_options(options: compared_files.FileOptions) -> None:
    """Refuse options about a table where a request says what the columns are."""
    for field in dataclass_fields(options):
        if getattr(options, field.name) != field.default:
            option = field.name.removesuffix("_name").replace("_", "-")
            raise UserError(
                f"--{option} says how a table or a log is read, and a request in JSON says that "
                "itself. Change the request, or name the file of losses in its place."
            )


def write_junit(result: ModelsResult) -> str:
    """Return a JUnit report: a failure if the gate fails, an error if it is undecided."""
    from thetahat_presentation.hidden_characters import show_hidden_in
    from thetahat_presentation.renderers.text import Page
    from thetahat_presentation.showing import show

    gate, document = result["gate"], show(result)
    findings = Page(all_option="--markdown FILE", is_ascii=True).write(document)
    failed, undecided = gate["outcome"] == "fail", gate["outcome"] == "undecided"
    counts = {"tests": "1", "failures": str(int(failed)), "errors": str(int(undecided))}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": "thetahat gate", **counts})
    name = f"{gate['model']} {gate['require'].replace('_', ' ')} against {gate['against']}"
    described = show_hidden_in({"name": name, "classname": "thetahat.gate"})
    case = ET.SubElement(suite, "testcase", described)
    if failed or undecided:
        details = {"message": document.gate, "type": str(gate["outcome"])}
        ET.SubElement(case, "failure" if failed else "error", details).text = findings
    else:
        ET.SubElement(case, "system-out").text = findings
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True)


def write_markdown(result: ModelsResult, identifier: str | None) -> str:
    """Return the gate and the result as Markdown, in which all but the findings is folded."""
    from thetahat_presentation.renderers.markdown import MarkdownPage
    from thetahat_presentation.showing import show

    outcome = result["gate"]
    document = replace(show(result), gate=outcome["sentence"])  # the title has its outcome
    parts = [f"## Gate: {outcome['outcome']}", MarkdownPage().write(document)]
    if identifier is not None:
        parts.append(f"Evaluation `{identifier}`")
    return "\n\n".join(parts)


def _print_outcome(gate: GateResultDict) -> None:
    print(gate["outcome"].upper())
    _print_paragraphs([gate["sentence"]], bullet="", to_errors=False)


def _print_serious_cautions(result: ModelsResult, *, to_errors: bool) -> None:
    """Print what may make the outcome wrong, such as values of other scales."""
    texts, gate = result["caution_texts"], result["gate"]
    names = list(result["cautions"])
    for pair in result["comparisons"]:
        if {pair["a"], pair["b"]} == {gate["model"], gate["against"]}:
            names += pair["cautions"]
    serious = [texts[name] for name in names if texts[name]["severity"] == "serious"]
    sentences = [f"Serious: {caution['message']} {caution['advice']}" for caution in serious]
    if sentences:
        _print_paragraphs(sentences, "- ", to_errors=to_errors)


def _print_paragraphs(sentences: list[str], bullet: str, *, to_errors: bool) -> None:
    from thetahat_presentation.renderers.text import Page

    page = Page(prose=choose_prose_width())
    indent = " " * len(bullet)
    print_text(*page.format_paragraphs(sentences, bullet, indent), to_errors=to_errors)
