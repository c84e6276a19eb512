"""Reports of every kind of evaluation as HTML and PDF, also with names that are markup."""

from __future__ import annotations

import copy
import json
import subprocess
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.presentation.reading import texts_of
from tests.service.api.html_page import HtmlPage
from tests.service.figures.one_image import draw_one
from tests.service.figures.results import evaluation
from tests.service.kinds.run_requests import run_kind
from tests.service.reports.pdf_text import read_text, without_spaces
from tests.service.reports.sources import (
    HOSTILE,
    RESULTS,
    build_source,
    data_set,
    many_models,
    signed,
    source_of,
)
from thetahat.references import REFERENCES
from thetahat_presentation.document import Table
from thetahat_presentation.parts.metrics import list_metric_tables
from thetahat_presentation.parts.models import ModelsResult
from thetahat_presentation.renderers.html import typeset
from thetahat_presentation.renderers.latex import escape_latex
from thetahat_presentation.showing import show
from thetahat_service.errors import Unavailable
from thetahat_service.figures.drawing import draw
from thetahat_service.reports import pdf
from thetahat_service.reports.building import METHODS_OF_SCORES, build_report
from thetahat_service.reports.cited_methods import REGISTRIES, cite_methods, write_parameters
from thetahat_service.reports.document import (
    CautionList,
    CitedMethod,
    FactList,
    Report,
    ReportFigure,
    ReportPart,
    ReportSource,
    ReportTable,
    Section,
)
from thetahat_service.reports.formulas import parse_formula
from thetahat_service.reports.html import build_policy, render_html
from thetahat_service.reports.pdf import allow_breaks, render_pdf
from thetahat_service.reports.request_listing import LINE, list_request
from thetahat_service.reports.tables import write_tables

EVERY_KIND = pytest.mark.parametrize("kind", RESULTS)
SECTIONS = {"question", "verdict", "data", "methods", "reproduction", "sign_offs"}


def words_of(report: Report) -> str:
    return HtmlPage(render_html(report, draw_one).decode()).text


@EVERY_KIND
def test_exact_a_report_of_every_kind_has_its_verdict_in_html_and_pdf(kind: str) -> None:
    source = source_of(kind, data=[data_set()], sign_offs=[signed()])
    report = build_report(source)
    findings = show(source.result, source.request).findings
    verdict = typeset(findings.verdict).replace("\N{NO-BREAK SPACE}", " ")

    page = HtmlPage(render_html(report, draw_one).decode())
    text = read_text(render_pdf(report, draw_one))

    assert {section.name for section in report.sections} >= SECTIONS
    assert verdict
    assert verdict in page.text
    assert without_spaces(verdict) in text
    for words in ("Ann Reviewer", "c" * 64, "d" * 64, "exam.csv", "Only for school 12."):
        assert words in page.text
        assert without_spaces(words) in text
    assert [tag for tag, _ in page.headings].count("h1") == 1
    assert not page.styles
    assert "None" not in page.words


@EVERY_KIND
def test_exact_the_first_page_of_every_kind_has_verdict_cautions_and_signature(kind: str) -> None:
    source = source_of(kind, sign_offs=[signed()])
    report = build_report(source)
    findings = show(source.result, source.request).findings

    text = read_text(render_pdf(report, draw_one))

    first, *_ = text.split("Page1of")
    caution = [] if findings.caution is None else [findings.caution.message]
    for sentence in (findings.verdict, *findings.sentences, *caution, findings.limit, "Signature"):
        assert without_spaces(typeset(sentence)) in first, sentence
    names = [section.name for section in report.list_sections(ReportPart.FINDINGS)]
    assert names[:2] == ["question", "verdict"]
    assert names[-1] == "sign_offs"
    n_figures = sum(isinstance(block, ReportFigure) for block in report.sections[1].blocks)
    assert n_figures == min(len(report.figures), 1)


def test_exact_what_a_section_cuts_off_is_in_the_appendix() -> None:
    report = build_report(many_models(30))
    sections = {section.name: section for section in report.sections}
    cut = tables_of(sections["pairs"])[0]
    whole = tables_of(sections["all_pairs"])[0]

    assert sections["pairs"].part is ReportPart.NUMBERS
    assert sections["all_pairs"].part is ReportPart.APPENDIX
    assert (len(cut.rows), len(whole.rows)) == (8, 29)
    assert "The first 8 of 29 rows are shown; the appendix has more." in cut.notes
    # The best models are on the first page, so the section has the figure alone.
    assert tables_of(sections["size"]) == []
    assert len(tables_of(sections["verdict"])[0].rows) == 15
    assert len(tables_of(sections["all_size"])[0].rows) == 30
    assert len({figure.name for figure in report.figures}) == len(report.figures)


def test_exact_only_the_newest_sign_off_is_on_the_first_page() -> None:
    many = [signed(name=f"Reviewer {i}") for i in range(3)]
    sections = {s.name: s for s in build_report(source_of("losses", sign_offs=many)).sections}

    assert [row[0] for row in tables_of(sections["sign_offs"])[0].rows] == ["Reviewer 0"]
    shown = [row[0] for row in tables_of(sections["all_sign_offs"])[0].rows]
    assert shown == [each.name for each in many]


def tables_of(section: Section) -> list[Table]:
    return [block.table for block in section.blocks if isinstance(block, ReportTable)]


@EVERY_KIND
def test_exact_tables_of_every_kind_are_markdown_and_latex(kind: str) -> None:
    markdown = write_tables(RESULTS[kind], "md", show_all=True)
    latex = write_tables(RESULTS[kind], "tex", show_all=True)

    assert "|:--|" in markdown
    for environment in ("tabular", "itemize", "longtable"):
        assert latex.count(rf"\begin{{{environment}}}") == latex.count(rf"\end{{{environment}}}")
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") > 0
    rows = [line for line in latex.splitlines() if line.endswith(r" \\")]
    assert len(rows) >= 2 * latex.count(r"\toprule")
    assert all(ord(letter) != 0x2212 for letter in latex)


def test_exact_real_figures_are_in_both_and_the_bytes_are_the_same_again() -> None:
    report = build_report(source_of("losses"))
    first_html, first_pdf = render_html(report, draw), render_pdf(report, draw)
    again = build_report(source_of("losses"))

    assert render_html(again, draw) == first_html
    assert render_pdf(again, draw) == first_pdf
    page = HtmlPage(first_html.decode())
    assert len(page.images) == len(report.figures) > 1
    assert all(image["alt"] for image in page.images)
    assert all(str(image["src"]).startswith("data:image/svg+xml;base64,") for image in page.images)
    assert without_spaces(report.figures[0].caption) in read_text(first_pdf)
    assert first_pdf.startswith(b"%PDF-1.7")
    assert b"2026" in first_pdf  # the date of the document is the end of the evaluation


def test_exact_html_loads_and_runs_nothing() -> None:
    source = source_of("losses", name=HOSTILE[2], sign_offs=[signed(comment=HOSTILE[2])])
    text = render_html(build_report(source), draw_one).decode()
    page = HtmlPage(text)

    assert "<script" not in text
    assert 'http-equiv="Content-Security-Policy"' in text
    assert all(link.startswith("data:") for link in page.links)
    assert "@import" not in text
    assert "url(" not in text
    assert "script-src" not in build_policy()  # default-src 'none'
    assert "default-src 'none'" in build_policy()
    assert "unsafe" not in build_policy()


def rename_models(value: Any, names: dict[str, str]) -> Any:
    """Return a result or a request with other names of models, wherever they stand."""
    if isinstance(value, dict):
        return {names.get(key, key): rename_models(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [rename_models(inner, names) for inner in value]
    if isinstance(value, str):
        for old, new in names.items():
            value = value.replace(old, new)
    return value


@pytest.mark.parametrize("hostile", HOSTILE)
def test_exact_names_that_are_markup_are_shown_as_they_are(hostile: str) -> None:
    example = source_of("losses")
    first = next(iter(example.result["models"]))
    names = {first: hostile}
    source = build_source(
        rename_models(example.result, names),
        rename_models(example.request, names),
        name=hostile,
        labels={"label": hostile},
        data=[data_set(hostile)],
        sign_offs=[signed(name=hostile, comment=hostile)],
    )
    report = build_report(source)

    page = HtmlPage(render_html(report, draw_one).decode())
    text = read_text(render_pdf(report, draw_one))

    assert page.text.count(" ".join(hostile.split())) > 6
    assert text.count(without_spaces(hostile)) > 6
    assert "root:" not in text


def test_exact_latex_has_no_command_of_a_name() -> None:
    example = RESULTS["losses"]
    first = next(iter(example["models"]))
    for hostile in HOSTILE:
        latex = write_tables(rename_models(example, {first: hostile}), "tex", show_all=True)
        assert r"\input" not in latex
        assert r"\alpha" not in latex
        assert " & 5 %" not in latex
        assert latex.count("$") % 2 == latex.count(r"\$") % 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & 5 %", r"a\_b \& 5 \%"),
        ("-0.45 to 1.85", "$-$0.45 to 1.85"),
        ("k-fold 3-4", "k-{}fold 3-{}4"),
        ("x\ny", "x y"),
        ("a\0b", r"a\textbackslash{}x00b"),
        ("≤ 0.001", r"$\le$ 0.001"),
    ],
)
def test_exact_latex_is_escaped(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


def test_exact_a_sign_off_of_another_result_is_marked() -> None:
    source = source_of("weights", sign_offs=[signed(result_sha256="e" * 64), signed()])
    report = build_report(source)

    assert report.state == (
        "Approved by Ann Reviewer, 23 Nov 2026, 09:00 UTC, for another result than this one"
    )
    words = words_of(report)
    assert "no, another one" in words
    assert "the recorded result has changed since" in words
    unchanged = words_of(build_report(source_of("weights", sign_offs=[signed()])))
    assert "changed since" not in unchanged
    assert "Nobody has signed" in words_of(build_report(source_of("weights")))


def test_exact_thirty_models_are_a_report_of_bounded_length() -> None:
    report = build_report(many_models(30))

    page = HtmlPage(render_html(report, draw_one).decode())
    text = read_text(render_pdf(report, draw_one))

    assert "Which of 30 models" in page.text
    # of 435 pairs those with the best model
    assert all(f"model 0 − model {other} " in page.text for other in range(1, 30))
    assert "model 1 − model" not in page.text
    assert "model29" in text
    assert not any(isinstance(block, ReportFigure) for block in report.sections[1].blocks)
    assert text.count("Page") < 40


@pytest.mark.parametrize(("n_models", "first"), [(6, "differences"), (7, "forest")])
def test_limit_the_first_page_has_no_figure_of_more_than_twenty_pairs(
    n_models: int, first: str
) -> None:
    rng = np.random.default_rng(21)
    losses = {f"m{k}": (rng.random(60) < 0.3).astype(int).tolist() for k in range(n_models)}
    body = {"kind": "losses", "blocks": "holdout", "losses": losses}
    provenance = {"provenance": {"version": "0.1.0", "methods": []}}
    report = build_report(build_source(run_kind(body).result | provenance))
    sections = {section.name: section for section in report.sections}

    (shown,) = [block for block in report.sections[1].blocks if isinstance(block, ReportFigure)]
    assert shown.figure.name.startswith(first)
    of_pairs = [block for block in sections["pairs"].blocks if isinstance(block, ReportFigure)]
    assert len(of_pairs) == (0 if first == "differences" else 1)


def test_limit_seventy_models_have_no_figure_with_a_row_for_each() -> None:
    report = build_report(many_models(70))
    sections = {section.name: section for section in report.sections}

    for name in ("size", "pairs"):
        assert not any(isinstance(block, ReportFigure) for block in sections[name].blocks)
        assert "would be too small to read here" in words_of(
            replace(report, sections=[sections[name]])
        )
    listed = words_of(replace(report, sections=[sections["models"]]))
    assert "model 59 and 10 others, which the result as JSON has." in listed
    assert "model 60" not in listed


def test_exact_every_formula_of_the_catalogue_is_set(tmp_path: Any) -> None:
    methods = [
        CitedMethod(heading=f"{family} {name}", formula=registry[name].info.formula)
        for family, registry in REGISTRIES.items()
        for name in registry
        if registry[name].info.formula
    ]
    assert len(methods) > 100
    assert all(parse_formula(method.formula) is not None for method in methods)
    report = build_report(source_of("weights"))
    sections = [Section(name="methods", title="Methods", blocks=methods)]
    values = {name: getattr(report, name) for name in Report.__dataclass_fields__}

    text = read_text(render_pdf(Report(**values | {"sections": sections}), draw_one))

    assert all(without_spaces(method.heading) in text for method in methods)


def test_exact_each_caution_is_in_a_report_once() -> None:
    report = build_report(source_of("losses"))
    codes = [
        each.code
        for section in report.sections
        for block in section.blocks
        if isinstance(block, CautionList)
        for each in block.items
    ]

    assert "few_blocks" in codes
    assert len(codes) == len(set(codes))
    assert "few_blocks" not in words_of(report)


def test_exact_the_files_of_an_evaluation_are_rows_of_one_table() -> None:
    report = build_report(source_of("losses", data=[data_set("a.csv"), data_set("b.csv")]))

    (data,) = [section for section in report.sections if section.name == "data"]
    (table,) = [block.table for block in data.blocks if isinstance(block, ReportTable)]

    assert texts_of(table) == [[name, "4059", "5", "d" * 64] for name in ("a.csv", "b.csv")]


def test_exact_methods_have_formula_and_sources() -> None:
    words = words_of(build_report(source_of("cross_validation")))

    assert "Corrected resampled variance (Nadeau and Bengio) (nadeau_bengio)" in words
    assert REFERENCES["nadeau2003"] in words
    assert "Where it errs:" in words


def test_exact_methods_of_scores_are_described_for_losses_and_say_so() -> None:
    result = copy.deepcopy(RESULTS["losses"])
    result["provenance"]["methods"] += [
        {"family": "variances", "name": "theta_gamma", "params": {}},
        {"family": "tests", "name": "sign", "params": {}},
    ]
    plain = words_of_section(build_source(result), "methods")
    result["summary"]["better"] = "higher"
    scores = words_of_section(build_source(result), "methods")

    assert scores == plain
    assert METHODS_OF_SCORES not in words_of(build_report(build_source(RESULTS["losses"])))
    assert METHODS_OF_SCORES in words_of(build_report(build_source(result)))


def words_of_section(source: ReportSource, name: str) -> str:
    """Return the descriptions of the methods of a report's section."""
    section = next(each for each in build_report(source).sections if each.name == name)
    return " ".join(
        f"{block.heading} {block.summary} {block.assumptions} {block.errs}"
        for block in section.blocks
        if isinstance(block, CitedMethod)
    )


def test_exact_metrics_have_a_section_with_the_word_for_a_source() -> None:
    result: Any = evaluation(2)
    metric = {
        "higher_is_better": True,
        "mean": "macro",
        "estimate": {"macro": 0.8, "pooled": 0.81},
        "standard_error": 0.01,
        "recommended": {"new_source": {"lower": 0.7, "upper": 0.9, "standard_error": 0.01}},
    }
    for model in result["models"].values():
        model["metrics"] = {"roc_auc": metric}

    result["unit"] = {"singular": "school", "plural": "schools"}
    table, _ = list_metric_tables(ModelsResult(result, {}))

    assert list(table.columns[3:]) == ["95 % interval on a new school"]
    assert texts_of(table)[0][0] == "Area under the ROC curve"
    assert texts_of(table)[0][2:] == ["0.800", "0.700 to 0.900"]


def test_degenerate_letters_of_other_scripts_and_long_words_are_set() -> None:
    name = "学習器 " + "w" * 180
    report = build_report(source_of("weights", name=name))

    text = read_text(render_pdf(report, draw_one))

    assert "w" * 180 in text


def test_invalid_a_typesetter_that_fails_or_hangs_is_unavailable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = build_report(source_of("weights"))
    monkeypatch.setattr(pdf, "MODULE", "thetahat_service.reports.no_such_process")
    with pytest.raises(Unavailable, match="could not be set as PDF"):
        render_pdf(report, draw_one)

    monkeypatch.setattr(pdf, "MODULE", "thetahat_service.reports.typesetting_process")
    monkeypatch.setattr(pdf, "SECONDS", 0.0)
    with pytest.raises(Unavailable, match="took longer than 0 s"):
        render_pdf(report, draw_one)


def test_exact_the_typesetter_reads_no_file_outside_its_folder(tmp_path: Any) -> None:
    folder, secret = tmp_path / "report", tmp_path / "secret.txt"
    folder.mkdir()
    secret.write_text("secret")
    for source in (f'#read("{secret}")', '#read("../secret.txt")', '#import "@preview/cetz:0.4.2"'):
        (folder / "main.typ").write_text(source)
        packages = folder / "packages"
        if packages.exists():
            packages.rmdir()
        with pytest.raises(Unavailable):
            pdf._run(folder, ["0", "own"])
        assert not (folder / "report.pdf").exists()


@pytest.mark.usefixtures("small_by_default")
def test_limit_twelve_models_over_six_tasks_take_three_pages_and_an_appendix() -> None:
    rng = np.random.default_rng(2)
    losses = {f"org/model-{i:02}": rng.random((6, 50)) < 0.5 - i / 60 for i in range(12)}
    found = thetahat.evaluate(losses, blocks="source", n_train=0)
    used = thetahat.to_json(found.methods)
    result = {
        "kind": "losses",
        **thetahat.to_json(found),
        "provenance": {"version": "0.1.0", "methods": used},
    }
    request = {
        "kind": "losses",
        "losses": {name: values.astype(int).tolist() for name, values in losses.items()},
        "blocks": "source",
        "n_train": 0,
    }
    text = read_text(render_pdf(build_report(build_source(result, request)), draw))
    shown = json.dumps({**result, "provenance": None})
    unused = [each["name"] for each in used if f'"{each["name"]}"' not in shown]

    assert text.index("Page3of6") < text.index("Appendix") < text.index("Page4of6")
    assert unused
    assert f"Computedtoo,withoutanumberinthisresult:{','.join(unused)}." in text
    assert not any(f"({name})" in text for name in unused)  # no formula


def test_exact_many_files_are_listed_in_the_appendix() -> None:
    for n_files in (4, 12):
        data = [replace(data_set(), name=f"log {i}") for i in range(n_files)]
        report = build_report(source_of("losses", data=data))
        sections = {section.name: section for section in report.sections}
        where = sections["data" if n_files == 4 else "files"]
        (files,) = tables_of(where)

        assert [row[0] for row in texts_of(files)] == [f"log {i}" for i in range(n_files)]
        assert where.part is (ReportPart.NUMBERS if n_files == 4 else ReportPart.APPENDIX)
        has_words = "12 files with 48 708 rows together" in words_of(report)
        assert has_words is (n_files == 12)


def test_exact_a_request_is_short_and_says_when_it_is_not_whole() -> None:
    small, is_whole = list_request({"kind": "losses", "losses": {"a": [[0.1, 0.2]] * 3}})
    assert is_whole
    assert '  "kind": "losses"' in small or small.startswith('{"kind"')
    large, is_whole = list_request({"kind": "losses", "losses": {"a": [[0.1] * 400] * 30}})
    assert not is_whole
    assert "... and 28 more" in large  # two of 30 lists
    assert "... and 392 more" in large
    many = {f"m{i}": [0.1] * 400 for i in range(40)}
    models, is_whole = list_request({"kind": "losses", "losses": many, "blocks": "holdout"})
    assert not is_whole
    assert '"...": "and 38 more"' in models
    assert models.endswith('"blocks": "holdout"\n}')  # what follows the values is there
    assert len(models.splitlines()) < 12


def test_exact_numbers_of_a_request_fill_their_lines() -> None:
    request: Any = {"kind": "losses", "losses": {"new": [0, 1] * 300, "old": ["right", None] * 80}}

    text, is_whole = list_request(request)

    assert is_whole
    assert json.loads(text) == request
    assert max(map(len, text.splitlines())) <= LINE
    assert len(text.splitlines()) < 50  # it was one line for each of 760 values


def test_exact_long_words_may_be_broken_and_short_ones_stay() -> None:
    assert allow_breaks("short words", 5) == "short words"
    broken = allow_breaks("a" * 12, 5)
    assert broken.replace("\N{ZERO WIDTH SPACE}", "") == "a" * 12
    assert [len(part) for part in broken.split("\N{ZERO WIDTH SPACE}")] == [5, 5, 2]


def test_exact_preparation_steps_of_some_columns_name_the_columns() -> None:
    groups = [
        {"columns": ["age", "income"], "prepare": ["impute", {"name": "standardise"}]},
        {"columns": ["city"], "prepare": ["one_hot"]},
        {"columns": ["id"]},
    ]
    method = {"params": {"C": 1.0, "l1": None}, "prepare": ["impute", {"groups": groups}]}

    assert write_parameters(method) == (
        "C = 1.0, after impute, impute and standardise of age and income, one_hot of city and "
        "no step of id"
    )


def test_exact_a_digest_is_never_broken() -> None:
    report = build_report(source_of("losses"))
    digests = [
        value
        for section in report.sections
        for block in section.blocks
        if isinstance(block, FactList)
        for name, value in block.items
        if name in block.codes
    ]
    assert digests
    assert all(allow_breaks(value, pdf.LONGEST_LINE) == value for value in digests)


def test_exact_no_child_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise subprocess.TimeoutExpired("typst", 1.0)

    monkeypatch.setattr(subprocess, "run", refuse)
    with pytest.raises(Unavailable):
        render_pdf(build_report(source_of("weights")), draw_one)


def test_exact_tests_of_all_models_are_described() -> None:
    used: list[dict[str, Any]] = [
        {"family": "omnibus", "name": name, "params": {}} for name in ("friedman", "quade")
    ]

    for method in cite_methods(used):
        assert method.heading.startswith("Tests of all models: ")
        assert method.summary
        assert method.sources


def test_exact_a_study_says_what_it_draws_and_how_often() -> None:
    report = build_report(source_of("study"))
    text = HtmlPage(render_html(report, draw_one).decode()).text

    assert "The study draws its data." in text
    assert "generator = random effects (omega = 0.3)" in text
    assert "Repetitions 40" in text


def test_degenerate_a_sample_in_the_request_is_counted_and_not_printed() -> None:
    source = source_of("cross_validation")
    sample = {"X": [[place, 0.123456] for place in range(60)]}
    report = build_report(replace(source, request={**source.request, "target_sample": sample}))
    (scheme,) = (section for section in report.sections if section.name == "scheme")
    (facts,) = (block for block in scheme.blocks if isinstance(block, FactList))

    assert dict(facts.items)["Target sample"] == "X = 60 values"
