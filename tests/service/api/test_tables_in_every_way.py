"""One table gives one answer in every way in: commands, form, requests and the library."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

import thetahat
from tests.cases import case
from tests.service.api.conftest import InlineWorker
from tests.service.api.html_page import HtmlPage
from tests.service.api.test_pages import HTML, open_page
from tests.service.surfaces.commands import SEED, Printed, run_command
from tests.service.surfaces.random_tables import labels, long_tables
from tests.service.surfaces.table_files import FRAMES, TEXT_FILES, TYPED_FILES, Table
from thetahat.errors import EvaluationError
from thetahat_client.media import guess_media_type
from thetahat_presentation.expansion import expand_result

WRITERS = TEXT_FILES | TYPED_FILES
OF_CALL = frozenset({"kind", "provenance"})
EXAMPLES = settings().max_examples // 3
"""An example goes through every way, so it takes longer than those of other properties."""
PLACE = re.compile(r"first is item '[^']*'|[Rr]ow \d+")


@pytest.fixture(autouse=True)
def without_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)


def reduce(result: Any) -> Any:
    """Return what a result says of the data: without what the call has added."""
    return {name: part for name, part in result.items() if name not in OF_CALL}


def refuse(message: str) -> tuple[str, str]:
    """Return the place that a refusal names."""
    found = PLACE.search(message)
    return "refused", found[0].lower() if found else "nowhere"


def read(printed: Printed) -> Any:
    if printed.status == 2:
        return refuse(printed.errors.partition("thetahat: ")[2])
    assert printed.status in {0, 1, 3}, printed.errors
    return reduce(json.loads(printed.out))


def send_form(client: TestClient, path: Path, **values: Any) -> Any:
    """Return the request that the form of a file makes, or its refusal in words."""
    page = open_page(client, "/evaluations/new")
    (form,) = [form for form in page.forms if form.action.startswith("/data-sets")]
    files = {"file": (path.name, path.read_bytes())}
    answer = client.post(form.action, files=files, headers=HTML, follow_redirects=False)
    assert answer.status_code == 303, HtmlPage(answer.text).text
    page = HtmlPage(client.get(answer.headers["location"], headers=HTML).text)
    form = page.form("/evaluations/new")
    answer = client.post(
        form.action, data=form.filled(**values), headers=HTML, follow_redirects=False
    )
    if answer.status_code == 422:
        return refuse(HtmlPage(answer.text).text)
    assert answer.status_code == 303, answer.text
    return client.get(f"{answer.headers['location']}/request.json").json()


def submit(client: TestClient, request: dict[str, Any], path: Path) -> Any:
    """Return a request as ``thetahat submit --data`` sends it, or the refusal of its file."""
    answer = client.post(
        "/v1/datasets",
        content=path.read_bytes(),
        params={"name": path.name},
        headers={"Content-Type": guess_media_type(path.name)},
    )
    if answer.status_code == 422:
        return refuse(answer.json()["detail"])
    return {**request, "dataset": answer.json()["id"]}


def evaluate(client: TestClient, sent: list[tuple[UUID, int]], request: Any) -> Any:
    """Return the result of a request over HTTP, or its refusal."""
    if isinstance(request, tuple):
        return request
    sent.clear()
    answer = client.post("/v1/evaluations", json={**request, "seed": SEED, "include": "all"})
    if answer.status_code == 422:
        return refuse(answer.json()["detail"])
    assert answer.status_code == 202, answer.text
    InlineWorker(sent).work()
    state = client.get(answer.headers["location"]).json()
    if state["status"] == "failed":
        return refuse(state["error"]["message"])
    return reduce(client.get(f"{answer.headers['location']}/result").json())


@st.composite
def wide_tables(draw: st.DrawFn) -> Table:
    """Return losses of two models with a column of labels, of which one or more may be missing."""
    n = draw(st.integers(6, 12))
    losses = st.lists(st.integers(0, 1000).map(lambda v: v / 1000), min_size=n, max_size=n)
    table: Table = {"school": draw(labels(n)), "a": draw(losses), "b": draw(losses)}
    if draw(st.integers(0, 3)) == 0:
        table["b"][draw(st.integers(1, n - 1))] = None
    return table


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    table=wide_tables(),
    forms=st.lists(st.sampled_from([*WRITERS]), min_size=5, max_size=5),
    role=st.sampled_from(["block", "cluster"]),
    leaves_out=st.booleans(),
)
def test_property_losses_by_model_have_one_answer(
    client: TestClient,
    sent: list[tuple[UUID, int]],
    table: Table,
    forms: list[str],
    role: str,
    *,
    leaves_out: bool,
) -> None:
    blocks = "source" if role == "block" else "holdout"
    missing = {"missing": "leave_out"} if leaves_out else {}
    unit = {"unit": "school"} if role == "block" else {}
    request = {
        "kind": "losses",
        "blocks": blocks,
        "better": "lower",
        "include": "all",
        "columns": {"losses": ["a", "b"], role: "school"},
        **missing,
        **unit,
    }
    options = [f"--{role}", "school", "--better", "lower"]
    options += ["--missing", "leave_out"] if leaves_out else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [write(folder / f"{i}", form, table) for i, form in enumerate(forms)]
        compared = read(run_command("compare", paths[0], *options, "--json"))
        sent_by_form = send_form(
            client, paths[1], kind="losses", losses=["a", "b"], better="lower", blocks=blocks,
            **{"block": "", "cluster": "", role: "school"},
            **({"leave_out": "yes"} if leaves_out else {}),
        )  # fmt: skip
        answers = {
            "compare": compared,
            "form": evaluate(client, sent, sent_by_form),
            "submit": evaluate(client, sent, submit(client, request, paths[4])),
            "gate": gate([paths[2], *options]),
            "gate of a request": gate([write_request(folder, request), "--data", paths[3]]),
        }
    if isinstance(sent_by_form, dict):
        assert {name: sent_by_form.get(name) for name in request} == request
    gates = [answers.pop("gate"), answers.pop("gate of a request")]
    assert gates[0] == gates[1]
    assert isinstance(gates[0], tuple) == isinstance(compared, tuple)
    for way, answer in answers.items():
        with case(way, forms):
            assert answer == compared
    if not leaves_out:
        check_library(table, role, blocks, unit, compared)


def write(folder: Path, form: str, table: Table) -> Path:
    ending, make = WRITERS[form]
    folder.mkdir()
    path = folder / f"table{ending}"
    path.write_bytes(make(table))
    return path


def write_request(folder: Path, request: dict[str, Any]) -> Path:
    path = folder / "request.json"
    path.write_text(json.dumps({**request, "seed": SEED}))
    return path


def gate(words: list[Any]) -> Any:
    """Return what the gate printed, or the place of its refusal."""
    pair = ["--model", "b", "--against", "a", "--margin", "0.1"]
    return read(run_command("gate", *words, *pair, "--json"))


def check_library(table: Table, role: str, blocks: str, unit: Any, expected: Any) -> None:
    for name, make in FRAMES.items():
        frame = make(table)
        losses = {model: frame[model] for model in ("a", "b")}
        options: dict[str, Any] = {role: frame["school"], **unit}
        with case(name):
            try:
                result = thetahat.evaluate(
                    losses, blocks=blocks, seed=SEED, include="all", **options
                )
            except EvaluationError:
                assert isinstance(expected, tuple)
            else:
                found = json.loads(json.dumps(thetahat.to_json(result), default=str))
                whole: Any = expand_result(expected)
                for part in ("models", "comparisons", "cautions"):
                    assert found[part] == whole[part]


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    table=long_tables(),
    forms=st.lists(st.sampled_from([*WRITERS]), min_size=3, max_size=3),
    leaves_out=st.booleans(),
)
def test_property_scores_by_row_have_one_answer(
    client: TestClient,
    sent: list[tuple[UUID, int]],
    table: Table,
    forms: list[str],
    *,
    leaves_out: bool,
) -> None:
    options = ["--better", "higher", *(["--missing", "leave_out"] if leaves_out else [])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [write(folder / f"{i}", form, table) for i, form in enumerate(forms)]
        compared = read(run_command("compare", paths[0], *options, "--json"))
        of_form = send_form(
            client, paths[1], better="higher",
            **({} if "task" in table else {"blocks": "holdout"}),
            **({"leave_out": "yes"} if leaves_out else {}),
        )  # fmt: skip
        with case("form", forms):
            assert evaluate(client, sent, of_form) == compared
        first, second = dict.fromkeys(table["model"])
        pair = ["--model", first, "--against", second, "--margin", "0.1"]
        gated = read(run_command("gate", paths[2], *options, *pair, "--json"))
        of_logs = compared
        if table.keys() == {"item", "model", "score"}:
            of_logs = read(run_command("compare", *write_logs(folder, table), *options, "--json"))
    if isinstance(compared, tuple):
        assert gated == of_logs == compared
        return
    (comparison,) = compared["comparisons"]
    assert abs(gated["difference"]) == abs(comparison["difference"])
    for name in (first, second):
        for part in ("n", "mean"):
            assert of_logs["models"][name][part] == compared["models"][name][part]
    for part in ("difference", "interval"):
        assert of_logs["comparisons"][0][part] == comparison[part]


def write_logs(folder: Path, table: Table) -> list[Path]:
    """Write samples as lm-evaluation-harness does: a file for each model, and no model in it."""
    lines: dict[str, list[str]] = {}
    for item, model, score in zip(*table.values(), strict=True):
        row = {"doc_id": item, "doc_hash": f"of {item}", "score": score}
        lines.setdefault(model, []).append(json.dumps(row))
    paths = []
    for model, rows in lines.items():
        paths.append(folder / f"{model}.jsonl")
        paths[-1].write_text("\n".join(rows))
    return paths
