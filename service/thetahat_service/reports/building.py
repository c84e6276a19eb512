"""Building the report of an evaluation: what stands in which section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import thetahat
from thetahat_presentation.document import Cell, Document, Name, Table
from thetahat_presentation.document import Section as ShownSection
from thetahat_presentation.hidden_characters import show_hidden_in
from thetahat_presentation.numbers import MISSING, format_count, format_level, format_number
from thetahat_presentation.showing import ask, name_kind
from thetahat_presentation.wording import capitalise, find_block_word
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.figure import Figure
from thetahat_service.pages.evaluation_page import ShownFigure, place_figures
from thetahat_service.pages.shown_results import show_result
from thetahat_service.pages.texts import write_moment
from thetahat_service.reports.cited_methods import cite_methods, write_parameters
from thetahat_service.reports.document import (
    Block,
    Bullets,
    CautionList,
    Code,
    FactList,
    Paragraph,
    Report,
    ReportFigure,
    ReportSource,
    ReportTable,
    Section,
    SignatureLines,
    Signed,
)
from thetahat_service.reports.request_listing import list_request

Json = Mapping[str, Any]

SECTION_NAMES: Final = {"main": "answer", "models": "size"}
"""Names of sections in reports, where they differ from those of the document."""
MAX_ROWS: Final = 60
"""Rows of a table of a report; the result as JSON has all."""
MOST_VALUES: Final = 10
"""Values of a list that a fact of a report has; of longer ones it has their number."""
MAX_FIGURES: Final = 4
"""Figures of a report beside those of the main sections."""
METHODS_OF_SCORES: Final = (
    "The methods are described for losses, of which lower ones are better. They hold in the same "
    "way for the scores of this evaluation, of which higher ones are better."
)

DECISIONS: Final = {
    "approved": "Approved",
    "rejected": "Rejected",
    "needs_changes": "Needs changes",
}
SHA256: Final = frozenset(
    {"SHA-256 of the data", "SHA-256 of the request", "SHA-256 of the result", "SHA-256"}
)


def build_report(source: ReportSource) -> Report:
    """Return the report of an evaluation with a result."""
    report = Report(
        identifier=source.identifier,
        title=source.name or f"{name_kind(source.kind)} {source.identifier[:8]}",
        subtitle=f"{name_kind(source.kind)}, finished {write_moment(source.finished_at)}",
        state=describe_state_of_signing(source),
        finished_at=source.finished_at,
        version=source.result["provenance"]["version"],
        result_sha256=source.result_sha256,
        sections=[section for section in _list_sections(source) if section.blocks],
    )
    return show_hidden_in(report, keeps_lines=True)


def describe_state_of_signing(source: ReportSource) -> str:
    """Return the newest decision with its name and date, and whether it is about this result."""
    if not source.sign_offs:
        return "Not signed"
    newest = source.sign_offs[0]
    text = f"{DECISIONS[newest.decision]} by {newest.name}, {write_moment(newest.at)}"
    if newest.result_sha256 != source.result_sha256:
        return f"{text}, for another result than this one"
    return text


def _list_sections(source: ReportSource) -> Iterator[Section]:
    request, result = source.request, source.result
    document = show_result(result, request)
    figures = _PlacedReportFigures(list_figures(result), document)
    yield _build_section("question", "Question", _ask(source))
    yield _build_section("verdict", "Verdict", _judge(source, document))
    yield _build_section("limits", "What this does not say", _list_limits(document))
    yield _build_section("data", "Data", _describe_data(source))
    yield _build_section("models", "Models and learners", _list_learners(result))
    yield _build_section("scheme", "How it was evaluated", _describe_scheme(source))
    for section in document.sections:
        if section.name != "methods":
            blocks = _list_blocks(section, figures.list_section(section.name))
            yield _build_section(
                SECTION_NAMES.get(section.name, section.name), section.title, blocks
            )
    yield _build_section("figures", "More figures", figures.list_others())
    shown = {caution.code for caution in document.doubts}
    cautions = [each for each in document.all_cautions if each.code not in shown]
    yield _build_section(
        "cautions", "Other cautions", [CautionList(items=cautions)] if cautions else []
    )
    cited = cite_methods(result["provenance"]["methods"])
    about = [Paragraph(text=METHODS_OF_SCORES)] if cited and document.higher_is_better else []
    yield _build_section("methods", "Methods", [*about, *cited])
    yield _build_section("reproduction", "Reproduction", _reproduce(source))
    yield _build_section("sign_offs", "Sign-off", _list_sign_offs(source))


def _list_blocks(section: ShownSection, figures: Sequence[Block]) -> list[Block]:
    """Return the sentences, figures and tables of a section of the document."""
    sentences = [Paragraph(text=sentence) for sentence in section.sentences]
    tables = [*section.tables, *(section.more if section.is_detail else ())]
    return [*sentences, *figures, *map(_to_block, tables)]


def _build_section(name: str, title: str, blocks: Sequence[Block]) -> Section:
    return Section(name=name, title=title, blocks=list(blocks))


class _PlacedReportFigures:
    """The figures of a result by the section of the report that has them."""

    def __init__(self, figures: Sequence[Figure], document: Document) -> None:
        self._figures = {figure.name: figure for figure in figures}
        shown = [
            ShownFigure(
                name=figure.name,
                title=figure.title,
                caption=figure.caption,
                alt=figure.alt,
                about=figure.about,
            )
            for figure in figures
        ]
        self._placed = place_figures(shown, document)

    def list_section(self, section: str) -> list[Block]:
        """Return the figures of a section."""
        return self._list_blocks(self._placed.by_section.get(section, ()))

    def _list_blocks(self, placed: Sequence[ShownFigure]) -> list[Block]:
        return [ReportFigure(figure=self._figures[figure.name]) for figure in placed]

    def list_others(self) -> list[Block]:
        """Return the first figures without a section of their own, and how many more there are."""
        other_figures = self._list_blocks(self._placed.others)
        left_out = len(other_figures) - MAX_FIGURES
        if left_out <= 0:
            return other_figures
        more = "1 more figure is" if left_out == 1 else f"{left_out} more figures are"
        note = f"{more} on the page of the evaluation."
        return [*other_figures[:MAX_FIGURES], Paragraph(text=note, style="note")]


def _to_block(table: Table) -> ReportTable:
    """Return a table with at most as many rows as a report shows."""
    if len(table.rows) <= MAX_ROWS:
        return ReportTable(table=table)
    shown = f"The first {MAX_ROWS} of {format_count(len(table.rows))} rows are shown"
    notes = [*table.notes, f"{shown}; the result as JSON has all."]
    return ReportTable(table=replace(table, rows=table.rows[:MAX_ROWS], notes=notes))


def _ask(source: ReportSource) -> list[Block]:
    sentences = ask(source.kind, source.result, source.request)
    return [Paragraph(text=" ".join(sentences))] if sentences else []


def _judge(source: ReportSource, document: Document) -> list[Block]:
    blocks: list[Block] = []
    lead = [text for text in (document.gate, document.headline) if text]
    blocks += [Paragraph(text=text, style="lead") for text in lead]
    sentences = document.sentences
    shown = sentences[:MAX_ROWS]
    if shown:
        blocks.append(Bullets(items=shown))
    if len(sentences) > len(shown):
        note = f"{len(sentences) - len(shown)} more sentences are in the result as JSON."
        blocks.append(Paragraph(text=note, style="note"))
    failures = [f"{name} ({message})" for name, message in _list_failures(source.result)]
    if failures:
        text = f"Left out, because they failed: {'; '.join(failures)}"
        blocks.append(Paragraph(text=text, style="problem"))
    return blocks


def _list_failures(result: Json) -> Iterator[tuple[str, str]]:
    """Yield the learners that failed with the reason; a learning curve has them by size."""
    for name, failure in result.get("failures", {}).items():
        if "message" in failure:
            yield name, failure["message"]
        else:
            for learner, problem in failure.items():
                yield f"{learner} at size {name}", problem["message"]


def _list_limits(document: Document) -> list[Block]:
    blocks: list[Block] = []
    if document.scope:
        blocks.append(Paragraph(text=document.scope))
    if document.doubts:
        blocks.append(CautionList(items=document.doubts))
    return blocks


def _describe_data(source: ReportSource) -> list[Block]:
    blocks: list[Block] = []
    for dataset in source.data:
        facts = [
            ("Data set", dataset.name or dataset.identifier),
            ("Rows", format_number(dataset.rows)),
            ("Columns", format_number(dataset.columns)),
            ("SHA-256", dataset.sha256),
        ]
        blocks.append(FactList(items=facts, codes=SHA256))
    if not source.data:
        is_drawn = source.kind == "study"
        text = "The study draws its data." if is_drawn else "The data are part of the request."
        blocks.append(Paragraph(text=text))
    facts = [("SHA-256 of the data", source.data_sha256)]
    result = source.result
    if "models" in result:
        sizes = {(model["n"], model["blocks"]) for model in result["models"].values()}
        if len(sizes) == 1:
            n, n_blocks = sizes.pop()
            word = find_block_word(result, n_blocks)
            facts.insert(0, ("Evaluated", f"{format_count(n)} instances in {n_blocks} {word}"))
    return [*blocks, FactList(items=facts, codes=SHA256)]


def _list_learners(result: Json) -> list[Block]:
    """Return what was evaluated: learners with their parameters, or the names of models."""
    learners = [
        method for method in result["provenance"]["methods"] if method["family"] == "learners"
    ]
    if not learners:
        names = list(result.get("models", ()))
        return [Paragraph(text=f"{', '.join(names)}.")] if names else []
    rows: list[list[Cell]] = [
        [Name(each.get("as", each["name"])), Name(each["name"]), write_parameters(each) or MISSING]
        for each in learners
    ]
    table = Table(caption="Learners", columns=["Name", "Learner", "Parameters"], rows=rows)
    return [_to_block(table)]


def _describe_scheme(source: ReportSource) -> list[Block]:
    request = source.request
    fields = (
        *("preset", "population", "draw", "statistic", "scheme", "internal", "external", "loss"),
        *("blocks", "better", "unit", "target_sample"),
    )
    facts = [
        (capitalise(field.replace("_", " ")), _write_method(request[field]))
        for field in fields
        if isinstance(request.get(field), str | Mapping)
    ]
    summary = source.result.get("summary") or {}
    level = request.get("level", summary.get("level"))
    if level is not None:
        facts.append(("Confidence level", format_level(level)))
    facts += [
        (capitalise(field), _write_method(request[field]))
        for field in ("margin", "correction", "control")
        if request.get(field) is not None
    ]
    repetitions = source.result.get("study", {}).get("repetitions")
    numbers = (("Repetitions", repetitions), ("Resamples", source.result.get("n_resamples")))
    facts += [(name, format_number(n)) for name, n in numbers if n is not None]
    facts.append(("Seed", str(source.seed)))
    return [FactList(items=facts)]


def _write_method(method: Any) -> str:
    """Return a field of a request in words: a method with its parameters, or the value."""
    if isinstance(method, list) and len(method) > MOST_VALUES:
        return f"{format_number(len(method))} values"
    if not isinstance(method, Mapping):
        return str(method)
    if "name" not in method:
        return ", ".join(f"{key} = {_write_method(value)}" for key, value in method.items())
    parameters = method.get("params") or {}
    inside = ", ".join(f"{key} = {value}" for key, value in parameters.items())
    return f"{method['name']} ({inside})" if inside else str(method["name"])


def _reproduce(source: ReportSource) -> list[Block]:
    facts = [
        ("Evaluation", source.identifier),
        ("Submitted", write_moment(source.created_at)),
        ("Release of thetahat", source.result["provenance"]["version"]),
        ("Seed", str(source.seed)),
        ("SHA-256 of the data", source.data_sha256),
        ("SHA-256 of the request", source.request_sha256),
        ("SHA-256 of the result", source.result_sha256),
    ]
    facts += [(f"Label {key}", value) for key, value in source.labels.items()]
    packages = {
        f"{method['package']} {method.get('version') or ''}".strip()
        for method in source.result["provenance"]["methods"]
        if method.get("package")
    }
    if packages:
        facts.insert(3, ("Packages of learners", ", ".join(sorted(packages))))
    text, is_whole = list_request(source.request)
    words = "The same release, data and request with this seed give the same numbers."
    if not is_whole:
        words += " Long lists are shortened here; the page of the evaluation has the whole request."
    return [
        FactList(items=facts, codes=SHA256),
        Paragraph(text=words, style="note"),
        Code(text=text),
    ]


def _list_sign_offs(source: ReportSource) -> list[Block]:
    blocks: list[Block] = []
    if source.sign_offs:
        blocks.append(_to_block(tabulate_sign_offs(source.sign_offs, source.result_sha256)))
        if any(sign_off.result_sha256 != source.result_sha256 for sign_off in source.sign_offs):
            text = (
                "A decision was made about another result than this one: the recorded result has "
                "changed since. Read the result again before you rely on that decision."
            )
            blocks.append(Paragraph(text=text, style="problem"))
    else:
        blocks.append(Paragraph(text="Nobody has signed this result."))
    lines = ("Name", "Decision", "Date", "Signature")
    return [*blocks, SignatureLines(labels=lines)]


def tabulate_sign_offs(signed: Sequence[Signed], digest: str) -> Table:
    """Return sign-offs as a table; ``digest`` is that of the result as it is recorded now."""
    return Table(
        caption="Decisions, the newest first; the newest counts",
        columns=["Name", "Decision", "When", "Key", "This result", "Comment"],
        rows=[_write_sign_off(sign_off, digest) for sign_off in signed],
    )


def _write_sign_off(signed: Signed, digest: str) -> list[str]:
    return [
        signed.name,
        DECISIONS[signed.decision],
        write_moment(signed.at),
        signed.actor,
        "yes" if signed.result_sha256 == digest else "no, another one",
        signed.comment or MISSING,
    ]


def describe_maker() -> str:
    """Return the program that makes reports, for the properties of a document."""
    return f"thetahat {thetahat.__version__}"
