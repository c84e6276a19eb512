"""What README and the documents show is true of the code."""

from __future__ import annotations

import itertools
import json
import re
import shlex
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
import typer

from tests.architecture.sources import ROOT
from thetahat_service.api.app import create_app
from thetahat_service.api.catalogue import describe_rules
from thetahat_service.api.errors import BY_CODE
from thetahat_service.cli import build_app, main
from thetahat_service.data.formats import FORMATS
from thetahat_service.json_types import ColumnDescription
from thetahat_service.kinds.base import DatasetFile, Finished, Job
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.result_json import encode_result
from thetahat_service.settings import Settings

FOLDERS = [ROOT / "docs" / name for name in (".", "http", "tutorials")]
DOCUMENTS = [ROOT / "README.md", ROOT / "clients/python/README.md"]
DOCUMENTS += [path for folder in FOLDERS for path in folder.glob("*.md")]
README = (ROOT / "README.md").read_text()
FIRST_REQUEST = (ROOT / "docs" / "http" / "first-request.md").read_text()
HTTP = "\n".join(path.read_text() for path in sorted((ROOT / "docs" / "http").glob("*.md")))
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
IN_WORDS = {
    "data_dir": "`~/.thetahat`",
    "workers": "one per core, at most 8",
    "memory_limit_mb": (
        "a worker's share of the memory of the machine or container, at least 512 and at most 8192"
    ),
}


def code(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def find_requests(text: str) -> list[dict[str, Any]]:
    """Return the requests among a document's JSON."""
    requests = [json.loads(block) for block in code(text, "json")]
    return [each for each in requests if "kind" in each]


@pytest.fixture
def first_result(small_by_default: None) -> dict[str, Any]:
    """Return the result of the first request."""
    body = re.search(r"<<'END'\n(\{.*?\})\nEND", FIRST_REQUEST, re.DOTALL)
    assert body is not None
    kind = JOB_KINDS["losses"]
    request = kind.request.model_validate(json.loads(body[1]))
    kind.check(request, {})
    finished = kind.start(Job(uuid4(), "losses", request, seed=1))
    assert isinstance(finished, Finished)
    provenance = Provenance(version="", seed=1, data_sha256="", spec_sha256="")
    return encode_result(finished, provenance)


def at(value: Any, path: str) -> Any:
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def test_exact_every_field_of_the_first_answer_is_as_its_page_says(
    first_result: dict[str, Any],
) -> None:
    rows = ROW.findall(FIRST_REQUEST)

    assert len(rows) > 12
    documented = {path: text for path, text, _ in rows if text}
    assert {path: shown(at(first_result, path)) for path in documented} == documented
    assert all(at(first_result, path) is not None or path == "provenance" for path, _, _ in rows)


def some_dataset(request: Any) -> dict[Any, DatasetFile]:
    """Return a data set that has every column the request names."""
    columns = request.columns.model_dump()
    named = [v.values() if isinstance(v, dict) else v for v in columns.values() if v]
    names = {n for v in named for n in ([v] if isinstance(v, str) else v)}
    listed: list[ColumnDescription] = [{"name": name, "type": "number"} for name in sorted(names)]
    return {request.dataset: DatasetFile(request.dataset, "0", "text/csv", 9, listed, {})}


@pytest.mark.parametrize(
    "body",
    [body for path in DOCUMENTS for body in find_requests(path.read_text())],
    ids=lambda body: "-".join(list(body)[:3]),
)
def test_exact_every_request_that_is_shown_is_taken(body: dict[str, Any]) -> None:
    body = json.loads(re.sub(r'"ID\d*"', lambda _: f'"{uuid4()}"', json.dumps(body)))
    kind = JOB_KINDS[body["kind"]]
    request: Any = kind.request.model_validate(body)

    if "logs" not in body:  # which names files that are read to be checked
        kind.check(request, some_dataset(request) if "dataset" in body else {})


def test_exact_the_http_pages_show_every_form_of_losses_and_every_kind() -> None:
    shown_requests = find_requests(HTTP)

    forms = {"losses": 0, "block": 0, "dataset": 0, "split_scores": 0, "fits": 0}
    for each in shown_requests:
        if each["kind"] == "losses":
            for field in forms:
                forms[field] += field in each
    assert min(forms.values()) >= 1
    assert {each["kind"] for each in shown_requests} == set(JOB_KINDS) - {"study"}
    assert "](../studies.md)" in HTTP


def parse(command: Any, words: list[str]) -> None:
    """Parse a command line without running it; a usage error is raised."""
    subcommands = getattr(command, "commands", None)
    if subcommands is None:
        command.make_context("thetahat", words)
    else:
        assert words[0] in subcommands
        if len(words) > 1:
            parse(subcommands[words[0]], words[1:])


def words_of_command(line: str) -> list[str]:
    """Return the words of a shell line up to the first redirection, pipe, ``&`` or ``;``."""
    tokens = shlex.shlex(line, posix=True, punctuation_chars="<>|&;")
    tokens.whitespace_split = True
    return list(itertools.takewhile(lambda word: word.strip("<>|&;") != "", tokens))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_exact_every_command_that_is_shown_exists(path: Path) -> None:
    command = typer.main.get_command(build_app())
    text = path.read_text()
    shell = "\n".join(code(text, "sh"))
    lines = re.findall(r"^(?:\.venv/bin/)?thetahat (.+)$", shell, re.MULTILINE)
    lines += re.findall(r"`thetahat ([a-z]+)`", text)
    for line in lines:
        parse(command, words_of_command(line))
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"^make ([a-z-]+)", text, re.MULTILINE))
    assert named | set(re.findall(r"`make ([a-z-]+)", text)) <= targets


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_exact_every_link_leads_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text())

    assert [link for link in links if not (path.parent / link).exists()] == []


def test_exact_the_example_without_a_server_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = [block for block in code(README, "python") if "import thetahat\n" in block]
    exec(example, {})

    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "<EvaluationResult: 2 models (nb and svm)>",
        "On data like these: it is not clear whether svm is better than nb.",
    ]
    assert re.fullmatch(r"-?\d\.\d{3} to \d\.\d{3}", lines[-1])


def test_exact_every_path_on_the_http_pages_is_served() -> None:
    served = {re.sub(r"\{\w+\}", "ID", p) for p in create_app().openapi()["paths"]}
    named = set(
        re.findall(r"`(?:GET|POST|DELETE) (/[\w/]+)", re.sub("/(NAME|PREFIX)", "/ID", HTTP))
    )

    assert {p for p in named if not p.startswith("/v1/methods/")} <= served | {"/problems"}
    assert len(named) > 12


def test_exact_the_http_pages_list_every_format_and_known_codes() -> None:
    table = (ROOT / "docs" / "http" / "upload-data.md").read_text().partition("## Columns")[0]

    assert set(re.findall(r"\| `(\w+/[\w.-]+)` \|", table)) == set(FORMATS)
    assert {"invalid_parameter", "result_not_ready", "no_result"} <= set(BY_CODE)


def test_exact_the_settings_page_is_that_of_the_code() -> None:
    text = (ROOT / "docs" / "settings.md").read_text()
    rows = [
        (
            f"THETAHAT_{name.upper()}",
            IN_WORDS.get(name) or (f"`{field.default}`" if field.default != "" else "empty"),
            field.description,
        )
        for name, field in Settings.model_fields.items()
    ]

    assert ROW.findall(text.partition("## Clients")[0]) == rows


def test_exact_the_recommendations_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "reading-a-result.md").read_text()
    documented = re.findall(
        r"^\| `(\w+)` \| `(\w+)` \| `(\w+)` on `(\w+)`[^|]* \| \S", text, re.MULTILINE
    )

    first = [
        (r, next(pair for pair in r.order if pair.variance is not None))
        for r in describe_rules()
        if r.order
    ]
    assert documented == [
        (r.blocks.value, r.target.value, pair.interval, pair.variance) for r, pair in first
    ]
    named = {pair.variance for r in describe_rules() for pair in r.where_asked}
    named |= {p.interval for r in describe_rules() for p in r.order if p.variance is None}
    assert all(f"`{name}`" in text for name in named)


def test_exact_the_first_commands_of_readme_print_what_it_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THETAHAT_URL", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    examples, compare = re.findall(r"^thetahat (.*)$", code(README, "sh")[0], re.MULTILINE)

    assert main(examples.split()) == 0
    capsys.readouterr()
    assert main(compare.split()) == 0
    assert capsys.readouterr().out == code(README, "text")[0]


def test_exact_the_recipe_for_a_pipeline_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THETAHAT_URL", raising=False)
    page = (ROOT / "docs" / "pipelines.md").read_text()
    rng = np.random.default_rng(4)
    rows = [
        f"s{i % 10},{x:.3f},{x + 0.001 * e:.3f}"
        for i, (x, e) in enumerate(rng.normal(1, 1, (200, 2)))
    ]
    Path("losses.csv").write_text("\n".join(["school,old,new", *rows]) + "\n")
    Path("request.json").write_text(code(page, "json")[0])
    (line,) = [line for line in code(page, "sh")[0].splitlines() if line.startswith("thetahat ")]

    assert main(line.split()[1:]) == 0
    assert "<testsuites" in Path("gate.xml").read_text()
    assert Path("gate.md").read_text().startswith("## Gate: pass")
