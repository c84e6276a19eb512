"""Building the report of an evaluation: what stands in which section."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import thetahat
from thetahat_presentation.document import MOST_DOUBTS, Caution, Cell, Document, Json, Name, Table
from thetahat_presentation.document import Section as ShownSection
from thetahat_presentation.hidden_characters import show_hidden_in
from thetahat_presentation.numbers import MISSING, format_count, format_level, format_number
from thetahat_presentation.showing import ask, name_evaluation, name_kind
from thetahat_presentation.wording import capitalise, find_block_word, name_method, name_parameter
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.figure import Figure
from thetahat_service.pages.evaluation_page import place_figures
from thetahat_service.pages.method_page import write_method
from thetahat_service.pages.shown_results import show_result
from thetahat_service.pages.texts import describe_outcome, write_moment
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
    ReportPart,
    ReportSource,
    ReportTable,
    Section,
    SignatureLines,
)
from thetahat_service.reports.request_listing import list_request
from thetahat_service.storage.sign_offs import SignOffRow

NamedBlocks: TypeAlias = tuple[str, str, Sequence[Block]]
"""Name, title and blocks of a section."""

SECTION_NAMES: Final = {"main": "answer", "models": "size"}
"""Names of sections in reports, where they differ from those of the document."""
MAX_ROWS: Final = 60
"""Rows of a table of a report; the result as JSON has all."""
MOST_VALUES: Final = 10
"""Values of a list that a fact of a report has; of longer ones it has their number."""
MAX_FIGURES: Final = 4
"""Figures of a report beside those of the main sections."""
MOST_VERDICTS: Final = 8
"""Verdicts in words before the appendix; the table of pairs has those of all."""
MOST_FILES: Final = 4
"""Data sets before the appendix, such as one log for each of a few models."""
MOST_SIGN_OFFS: Final = 1
"""Sign-offs on the first page: the newest, which counts."""
MOST_ON_FIRST_PAGE: Final = 20
"""Models, or pairs, of which the first page has a figure; more would be too small to read there."""
FIRST_FIGURE: Final = ("main", "pairs", "models")
"""Sections whose first figure is that of the first page: the question of the kind, then pairs."""
UNREADABLE: Final = Paragraph(
    text="A figure with a row for each model would be too small to read here. The page of the "
    "evaluation has it.",
    style="note",
)
"""In place of a figure of more models than a table of a report has rows."""
METHODS_OF_SCORES: Final = (
    "The methods are described for losses, of which lower ones are better. They hold in the same "
    "way for the scores of this evaluation, of which higher ones are better."
)

NUMBERED_FAMILIES: Final = frozenset({"intervals", "variances"})
"""Families of methods some of which are only computed to choose or to build others."""

SHA256: Final = frozenset(
    {"SHA-256 of the data", "SHA-256 of the request", "SHA-256 of the result"}
)


def build_report(source: ReportSource) -> Report:
    """Return the report of an evaluation with a result."""
    report = Report(
        identifier=str(source.row.id),
        title=name_evaluation(
            source.row.name, source.row.kind, source.row.id, source.result.get("summary")
        ),
        subtitle=f"{name_kind(source.row.kind)}, finished {write_moment(source.finished_at)}",
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
    text = f"{describe_outcome(newest.decision)} by {newest.name}, {write_moment(newest.at)}"
    if newest.result_sha256 != source.result_sha256:
        return f"{text}, for another result than this one"
    return text


def _list_sections(source: ReportSource) -> Iterator[Section]:
    """Yield the sections: the first page, the numbers behind it, and the appendix."""
    document = _keep_first_table(show_result(source.result, source.request))
    figures = _PlacedReportFigures(list_figures(source.result), document)
    is_tall = len(source.result.get("models", ())) > MOST_ON_FIRST_PAGE
    n_pairs = len(source.result.get("comparisons", ()))
    first = [] if is_tall else figures.take_first(has_pairs=n_pairs <= MOST_ON_FIRST_PAGE)
    for name, title, blocks in _list_findings(source, document, first):
        yield Section(name=name, title=title, blocks=blocks, part=ReportPart.FINDINGS)
    for name, title, blocks in _list_numbers(source, document, figures):
        yield Section(name=name, title=title, blocks=blocks, part=ReportPart.NUMBERS)
    for name, title, blocks in _list_appendix(source, document, figures):
        yield Section(name=name, title=title, blocks=blocks)


def _keep_first_table(document: Document) -> Document:
    """Return a document whose findings have one table, as the first page has room for no more."""
    findings = document.findings
    return replace(document, findings=replace(findings, tables=findings.tables[:1]))


def _list_findings(
    source: ReportSource, document: Document, first: Sequence[Block]
) -> Iterator[NamedBlocks]:
    """Yield what a reader decides by, and where it is signed."""
    findings = document.findings
    yield "question", "Question", _ask(source)
    lead = [text for text in (document.gate, findings.verdict) if text]
    tables = [ReportTable(table=_shorten(each.without_bars())) for each in findings.tables]
    yield (
        "verdict",
        "Verdict",
        [
            *(Paragraph(text=text, style="lead") for text in lead),
            *([Bullets(items=findings.sentences)] if findings.sentences else []),
            *tables,
            *first,
        ],
    )
    cautions = _choose_cautions(document)
    further = [text for text in (findings.limit, findings.next_step) if text]
    yield (
        "limits",
        "Cautions",
        [
            *([CautionList(items=cautions)] if cautions else []),
            *(Paragraph(text=text) for text in further),
        ],
    )
    yield "sign_offs", "Sign-off", _list_sign_offs(source)


def _choose_cautions(document: Document) -> list[Caution]:
    """Return the cautions of the findings, and the others to know before a decision."""
    found = document.findings.cautions
    others = [each for each in document.doubts if each not in found]
    return [*found, *others[: max(MOST_DOUBTS - len(found), 0)]]


def _list_numbers(
    source: ReportSource, document: Document, figures: _PlacedReportFigures
) -> Iterator[NamedBlocks]:
    """Yield the numbers behind the findings, and what they were computed from."""
    rest = document.rest
    says_scope = not document.scope or document.findings.limit == document.scope
    sentences: list[Block] = [] if says_scope else [Paragraph(text=document.scope)]
    if rest.sentences:
        sentences.append(Bullets(items=rest.sentences[:MOST_VERDICTS]))
    if len(rest.sentences) > MOST_VERDICTS:
        note = f"The appendix has {len(rest.sentences) - MOST_VERDICTS} more."
        sentences.append(Paragraph(text=note, style="note"))
    yield "verdicts", "All verdicts", sentences
    for section in rest.sections:
        if not _is_long(section):
            n_models = len(source.result.get("models", ()))
            is_drawn = n_models <= MAX_ROWS or section.name not in {"models", "pairs"}
            drawn = figures.list_section(section.name) if is_drawn else [UNREADABLE]
            blocks = _list_blocks(_leave_out_cut_models(section), drawn)
            yield SECTION_NAMES.get(section.name, section.name), section.title, blocks
    yield "data", "Data", _describe_data(source)
    yield "models", "Models and learners", _list_learners(source.result)
    yield "scheme", "How it was evaluated", _describe_scheme(source)


def _list_appendix(
    source: ReportSource, document: Document, figures: _PlacedReportFigures
) -> Iterator[NamedBlocks]:
    rest = document.rest
    if len(rest.sentences) > MOST_VERDICTS:
        further = rest.sentences[MOST_VERDICTS:][:MAX_ROWS]
        yield "more_verdicts", "More verdicts", [Bullets(items=further)]
    for section in rest.sections:
        name = SECTION_NAMES.get(section.name, section.name)
        if _is_long(section) and section.name != "methods":
            shown = figures.list_section(section.name)
            yield name, section.title, _list_blocks(section, shown, is_whole=True)
        elif long := [table for table in section.tables if _is_cut(table)]:
            tables = [ReportTable(table=_shorten(table, MAX_ROWS)) for table in long]
            yield f"all_{name}", f"{section.title} All rows", tables
    if len(source.data) > MOST_FILES:
        yield "files", "Data sets", _tabulate_files(source)
    yield "figures", "More figures", figures.list_others()
    shown_codes = {caution.code for caution in _choose_cautions(document)}
    cautions = [each for each in document.all_cautions if each.code not in shown_codes]
    yield "cautions", "Other cautions", [CautionList(items=cautions)] if cautions else []
    yield "methods", "Methods", _list_methods(source.result, document)
    yield "reproduction", "Reproduction", _reproduce(source)
    if len(source.sign_offs) > MOST_SIGN_OFFS:
        table = tabulate_sign_offs(source.sign_offs, source.result_sha256)
        yield "all_sign_offs", "All sign-offs", [ReportTable(table=_shorten(table, MAX_ROWS))]


def _list_methods(result: Json, document: Document) -> list[Block]:
    """Return the methods with their formulas, and the names of those without a number here."""
    methods = result["provenance"]["methods"]
    shown = json.dumps({key: value for key, value in result.items() if key != "provenance"})
    cited = [
        method
        for method in methods
        if method["family"] not in NUMBERED_FAMILIES
        or any(f'"{method[key]}"' in shown for key in ("name", "as") if key in method)
    ]
    about = [METHODS_OF_SCORES] if cited and document.higher_is_better else []
    if others := [method["name"] for method in methods if method not in cited]:
        about.append(f"Computed too, without a number in this result: {', '.join(others)}.")
    return [*(Paragraph(text=text) for text in about), *cite_methods(cited)]


def _is_long(section: ShownSection) -> bool:
    """Return whether a section is for the appendix: details, or a row for each of many sources."""
    return section.is_detail or section.name == "sources"


def _leave_out_cut_models(section: ShownSection) -> ShownSection:
    """Return a section without a table whose first rows are on the first page, the best models.

    The appendix has the whole table.
    """
    is_repeated = section.name == "models" and any(_is_cut(each) for each in section.tables)
    return replace(section, tables=()) if is_repeated else section


def _list_blocks(
    section: ShownSection, figures: Sequence[Block], *, is_whole: bool = False
) -> list[Block]:
    """Return the sentences, figures and tables of a section of the document."""
    sentences = [Paragraph(text=sentence) for sentence in section.sentences]
    tables = [*section.tables, *(section.more if section.is_detail else ())]
    shown = [_shorten(table, MAX_ROWS) if is_whole else _shorten(table) for table in tables]
    return [*sentences, *figures, *(ReportTable(table=table) for table in shown)]


def _is_cut(table: Table) -> bool:
    return len(table.rows) > table.n_first


class _PlacedReportFigures:
    """The figures of a result by the section of the report that has them."""

    def __init__(self, figures: Sequence[Figure], document: Document) -> None:
        self._placed = place_figures(figures, document)
        self._first: Figure | None = None

    def take_first(self, *, has_pairs: bool) -> list[Block]:
        """Return the figure of the first page, which no other section then has.

        It is that of the pairs of models only if ``has_pairs``.
        """
        placed = self._placed.by_section
        names = [name for name in FIRST_FIGURE if has_pairs or name != "pairs"]
        found = [figure for name in names for figure in placed.get(name, ())]
        found += self._placed.others
        if not found:
            return []
        self._first = found[0]
        return [ReportFigure(figure=self._first, is_small=True)]

    def list_section(self, section: str) -> list[Block]:
        """Return the figures of a section."""
        return self._list_blocks(self._placed.by_section.get(section, ()))

    def _list_blocks(self, placed: Sequence[Figure]) -> list[Block]:
        return [ReportFigure(figure=figure) for figure in placed if figure is not self._first]

    def list_others(self) -> list[Block]:
        """Return the first figures without a section of their own, and how many more there are."""
        other_figures = self._list_blocks(self._placed.others)
        left_out = len(other_figures) - MAX_FIGURES
        if left_out <= 0:
            return other_figures
        more = "1 more figure is" if left_out == 1 else f"{left_out} more figures are"
        note = f"{more} on the page of the evaluation."
        return [*other_figures[:MAX_FIGURES], Paragraph(text=note, style="note")]


def _shorten(table: Table, n_rows: int | None = None) -> Table:
    """Return a table with its first rows, and a note on where the others are."""
    n_shown = table.n_first if n_rows is None else n_rows
    if len(table.rows) <= n_shown:
        return table
    where = "the appendix has more" if n_rows is None else "the result as JSON has all"
    note = f"The first {n_shown} of {format_count(len(table.rows))} rows are shown; {where}."
    return replace(table, rows=table.rows[:n_shown], notes=[*table.notes, note])


def _ask(source: ReportSource) -> list[Block]:
    sentences = ask(source.row.kind, source.result, source.request)
    return [Paragraph(text=" ".join(sentences))] if sentences else []


def _tabulate_files(source: ReportSource) -> list[Block]:
    """Return the data sets as a table; none if the data are part of the request."""
    rows: list[dict[str, Cell]] = [
        {
            "Data set": Name(each.name or str(each.id)),
            "Rows": format_count(each.rows),
            "Columns": format_count(len(each.columns)),
            "SHA-256": Name(each.sha256),
        }
        for each in source.data
    ]
    return [ReportTable(table=Table.of_rows("Files", rows))] if rows else []


def _describe_data(source: ReportSource) -> list[Block]:
    blocks = _tabulate_files(source)
    if len(source.data) > MOST_FILES:
        n_rows = format_count(sum(each.rows for each in source.data))
        text = f"{len(source.data)} files with {n_rows} rows together; the appendix lists them."
        blocks = [Paragraph(text=text)]
    elif not blocks:
        is_drawn = source.row.kind == "study"
        text = "The study draws its data." if is_drawn else "The data are part of the request."
        blocks.append(Paragraph(text=text))
    facts = [("SHA-256 of the data", source.row.data_sha256)]
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
        listed, n_more = ", ".join(names[:MAX_ROWS]), len(names) - MAX_ROWS
        more = f" and {n_more} others, which the result as JSON has" if n_more > 0 else ""
        return [Paragraph(text=f"{listed}{more}.")] if names else []
    rows: list[dict[str, Cell]] = [
        {
            "Name": Name(each.get("as", each["name"])),
            "Learner": capitalise(name_method(each["name"])),
            "Parameters": write_parameters(each) or MISSING,
        }
        for each in learners
    ]
    return [ReportTable(table=_shorten(Table.of_rows("Learners", rows), MAX_ROWS))]


def _describe_scheme(source: ReportSource) -> list[Block]:
    request = source.request
    fields = (
        *("preset", "population", "draw", "statistic", "scheme", "internal", "external", "loss"),
        *("blocks", "better", "unit", "target_sample"),
    )
    facts = [
        (capitalise(field.replace("_", " ")), _choose_words(request[field]))
        for field in fields
        if isinstance(request.get(field), str | Mapping)
    ]
    summary = source.result.get("summary") or {}
    level = request.get("level", summary.get("level"))
    if level is not None:
        facts.append(("Confidence level", format_level(level)))
    facts += [
        (capitalise(field), write(request[field]))
        for field, write in (
            ("margin", _write_method),
            ("correction", _choose_words),
            ("control", _write_method),
        )
        if request.get(field) is not None
    ]
    repetitions = source.result.get("study", {}).get("repetitions")
    numbers = (("Repetitions", repetitions), ("Resamples", source.result.get("n_resamples")))
    facts += [(name, format_number(n)) for name, n in numbers if n is not None]
    facts.append(("Seed", str(source.row.seed)))
    return [FactList(items=facts)]


def _choose_words(choice: Any) -> str:
    """Return a field of a request that names a method, by its name or with parameters."""
    return name_method(choice) if isinstance(choice, str) else _write_method(choice)


def _write_method(method: Any) -> str:
    """Return a field of a request in words: a method with its parameters, or the value."""
    if isinstance(method, list) and len(method) > MOST_VALUES:
        return f"{format_number(len(method))} values"
    if isinstance(method, Mapping) and "name" not in method:
        return ", ".join(
            f"{name_parameter(key)} = {_write_method(value)}" for key, value in method.items()
        )
    return write_method(method)


def _reproduce(source: ReportSource) -> list[Block]:
    facts = [
        ("Evaluation", str(source.row.id)),
        ("Submitted", write_moment(source.row.created_at)),
        ("Release of thetahat", source.result["provenance"]["version"]),
        ("Seed", str(source.row.seed)),
        ("SHA-256 of the data", source.row.data_sha256),
        ("SHA-256 of the request", source.row.request_sha256),
        ("SHA-256 of the result", source.result_sha256),
    ]
    facts += [(f"Label {key}", value) for key, value in source.row.labels.items()]
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
        newest = source.sign_offs[:MOST_SIGN_OFFS]
        table = tabulate_sign_offs(newest, source.result_sha256)
        if len(source.sign_offs) > len(newest):
            table = replace(table, notes=["The appendix has all."])
        blocks.append(ReportTable(table=table))
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


def tabulate_sign_offs(signed: Sequence[SignOffRow], digest: str) -> Table:
    """Return sign-offs as a table; ``digest`` is that of the result as it is recorded now."""
    rows: list[dict[str, Cell]] = [
        {
            "Name": each.name,
            "Decision": describe_outcome(each.decision),
            "When": write_moment(each.at),
            "Key": each.actor,
            "This result": "yes" if each.result_sha256 == digest else "no, another one",
            "Comment": each.comment or MISSING,
        }
        for each in signed
    ]
    return Table.of_rows("Decisions, the newest first; the newest counts", rows)


def describe_maker() -> str:
    """Return the program that makes reports, for the properties of a document."""
    return f"thetahat {thetahat.__version__}"
