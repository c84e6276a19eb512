from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.cases import each
from tests.service.api.conftest import InlineWorker
from tests.service.api.html_page import Form, HtmlPage
from tests.service.api.requests import matrix
from tests.service.api.test_pages import HTML, follow, open_page, submit
from tests.service.jobs.evaluations import make_executor
from tests.service.surfaces.ways_in import QUESTIONS, Post, Question
from thetahat_service.api import dataset_pages

pytestmark = pytest.mark.usefixtures("one_image")

RNG = np.random.default_rng(20_261_122)
ROWS = [
    f"{x:.3f},{'red' if x > 0 else 'blue'},{2 * x + e:.3f},s{i % 5},{int(x > 0.3)}"
    for i, (x, e) in enumerate(RNG.normal(size=(60, 2)))
]
CSV = "\n".join(["x,colour,y,site,c", *ROWS]).encode()


def upload(client: TestClient, content: bytes = CSV, name: str = "data.csv") -> Any:
    page = open_page(client, "/evaluations/new")
    (form,) = [form for form in page.forms if form.action.startswith("/data-sets")]
    return client.post(
        form.action, files={"file": (name, content)}, headers=HTML, follow_redirects=False
    )


def open_form(client: TestClient, content: bytes = CSV) -> Form:
    return open_page(client, upload(client, content).headers["location"]).form("/evaluations/new")


def send(client: TestClient, form: Form, **values: Any) -> Any:
    return client.post(
        form.action, data=form.filled(**values), headers=HTML, follow_redirects=False
    )


def request_of(client: TestClient, answer: Any) -> dict[str, Any]:
    assert answer.status_code == 303, HtmlPage(answer.text).text
    request: dict[str, Any] = client.get(f"{answer.headers['location']}/request.json").json()
    return request


def test_exact_from_the_upload_to_the_verdict(
    client: TestClient, sent: list[tuple[UUID, int]]
) -> None:
    chosen = open_page(client, upload(client).headers["location"])
    follow(client, chosen)
    answer = send(
        client,
        chosen.form("/evaluations/new"),
        target="y",
        source="site",
        features=["x", "colour"],
        learners=["mean", "ridge"],
        scheme="leave_one_source_out",
        margin="0.1",
        unit="site",
        name="by form",
    )
    request = request_of(client, answer)
    executor = make_executor()
    while sent:
        executor.run(sent.pop(0))
    page = open_page(client, answer.headers["location"])

    assert request["columns"] == {"target": "y", "features": ["x", "colour"], "source": "site"}
    assert [step["name"] for step in request["learners"]["ridge"]["prepare"]] == [
        "one_hot", "standardise",
    ]  # fmt: skip
    assert request["margin"] == 0.1
    assert ("h1", "by form") in page.headings
    assert any("ridge is better than mean" in words for words in page.words)
    assert ("h2", "Is it a few sites or most?") in page.headings
    follow(client, page)


def test_exact_predictions_and_losses_are_sent_by_the_same_form(client: TestClient) -> None:
    form = open_form(client)
    predictions = send(
        client, form, kind="predictions", target="y", predictions=["x"], loss="squared",
        blocks="source", block="site",
    )  # fmt: skip
    losses = send(client, form, kind="losses", losses=["c", "x"], better="higher", blocks="holdout")

    request = request_of(client, predictions)
    assert request["columns"]["predictions"] == {"x": "x"}
    assert request["columns"]["block"] == "site"
    assert request["blocks"] == "source"
    assert request_of(client, losses)["better"] == "higher"


@each(
    "values,field",
    [
        ({"target": ""}, "target"),
        ({"target": "colour", "task": "regression"}, "target"),
        ({"target": "colour", "learners": ["ridge"]}, "learners"),
        ({"target": "y", "features": ["y"]}, "features"),
        ({"target": "y", "learners": []}, "learners"),
        ({"target": "y", "more_learners": "RandomForrest"}, "learners"),
        ({"target": "y", "n_folds": "1"}, "n_folds"),
        ({"target": "y", "n_folds": "many"}, "n_folds"),
        ({"target": "y", "margin": "-1"}, "margin"),
        ({"target": "y", "margin": "a bit"}, "margin"),
        ({"target": "y", "level": "95"}, "level"),
        ({"target": "y", "scheme": "leave_one_source_out"}, "source"),
        ({"target": "y", "loss": "zero_one"}, "loss"),
    ],
)
def test_invalid_fields_have_their_error_beside_them(
    values: dict[str, Any], field: str, client: TestClient
) -> None:
    form = open_form(client)

    answer = send(client, form, name="kept <as> sent", **values)

    assert answer.status_code == 422
    page = HtmlPage(answer.text)
    page.check()
    again = page.form("/evaluations/new").filled()
    assert f"{field}-error" in page.ids, page.text
    assert f"#{field}-error" in page.links
    assert again["name"] == ["kept <as> sent"]
    assert [values["target"]] == again["target"]


LOSSES = "\n".join(["site,a,b", *(f"s{i % 5},{i % 3 / 4},{i % 4 / 5}" for i in range(30))])
ALONE = "\n".join(["loss_a,loss_b", *(f"{i % 3 / 4},{i % 4 / 5}" for i in range(30))])
METRICS = ALONE.replace("loss_a,loss_b", "rmse,mae")
AGAIN = "\n".join(["a,b", *ALONE.splitlines()[1:], "a,b"])
PREDICTED = "\n".join(["truth,pred_a,pred_b", *(f"{i % 2},{i % 2},{i % 3 % 2}" for i in range(30))])
LACKING = "\n".join(
    [
        "x,y,site",
        *(
            f"{i / 7},{'' if i in {4, 8} else i % 5 / 3},{'' if i == 9 else i % 4}"
            for i in range(30)
        ),
    ]
)
WARDS = "\n".join(
    ["ward,y_true,svm,rf", *(f"{7 + i % 5},{i % 2},{i % 3 % 2},{i // 3 % 2}" for i in range(30))]
)
COPIES = "\n".join(
    ["x,kind,y", *(f"{i % 7 / 3},{['no', 'yes'][i % 2]},{i % 2}" for i in range(30))]
)
GAPS = "\n".join(
    ["age,city,sick", *(f"{'?' if i == 3 else i % 9},c{i % 4},{i % 2}" for i in range(30))]
)


@pytest.mark.parametrize(
    ("content", "values", "words"),
    [
        (CSV, {"target": "", "learners": []}, ["Choose the target", "Choose at least one learner"]),
        (
            PREDICTED.encode(),
            {"target": "", "blocks": "holdout"},
            ["Choose the target", "Choose the columns of predictions, one for each model."],
        ),
        (
            LOSSES.encode(),
            {"losses": []},
            [
                "Choose the columns of losses, one for each model.",
                "Say whether lower or higher values are better.",
                "Say what was tested together. Rows share values of site",
            ],
        ),
        (
            LOSSES.encode(),
            {"better": "lower", "block": "site"},
            ["Say what the values of site are: folds drawn at random, or sources."],
        ),
        (
            LOSSES.encode(),
            {"better": "lower", "block": "site", "blocks": "holdout"},
            ["Say what the values of site are", "One test set has no block."],
        ),
        (
            LOSSES.encode(),
            {"better": "lower", "blocks": "random"},
            ["Choose the block: the column with the fold of each row."],
        ),
        (
            LOSSES.encode(),
            {"better": "lower", "blocks": "source"},
            ["Choose the block: the column with the source of each row, such as its site."],
        ),
        (
            LACKING.encode(),
            {"target": "y", "source": "site"},
            [
                "Column y has no value in row 4, nor in 1 more rows",
                "tick that such rows are left out",
            ],
        ),
        (
            LACKING.encode(),
            {"target": "x", "source": "site"},
            ["Column site has no value in row 9. Complete the file"],
        ),
        (
            LACKING.encode(),
            {"kind": "losses", "losses": ["x", "y"], "blocks": "holdout", "better": "lower"},
            ["Column y has no value in row 4, nor in 1 more rows"],
        ),
    ],
)
def test_exact_what_is_left_open_is_asked_in_words_of_the_form(
    client: TestClient, content: bytes, values: dict[str, Any], words: list[str]
) -> None:
    answer = send(client, open_form(client, content), **values)

    assert answer.status_code == 422
    page = HtmlPage(answer.text)
    page.check()
    for sentence in words:
        assert sentence in page.text
    assert "field" not in page.text[page.text.index("not accepted") :][:400]


def test_exact_rows_without_a_target_are_left_out_where_the_form_says_so(
    client: TestClient,
) -> None:
    form = open_form(client, LACKING.encode())
    answer = send(client, form, target="y", source="site", learners=["mean"], leave_out="yes")
    assert request_of(client, answer)["missing"] == "leave_out"


def test_exact_missing_features_are_filled_in_without_other_steps(client: TestClient) -> None:
    form = open_form(client, GAPS.encode())
    answer = send(client, form, target="sick", learners=["logistic_regression"], prepare=[])
    learner = request_of(client, answer)["learners"]["logistic_regression"]
    assert [step["name"] for step in learner["prepare"]] == ["impute", "impute"]


def test_exact_whole_numbers_that_rows_share_leave_one_test_set_open(client: TestClient) -> None:
    form = open_form(client, WARDS.encode())
    assert form.filled()["blocks"] == [""]
    values = {"kind": "predictions", "target": "y_true", "predictions": ["svm", "rf"]}
    page = HtmlPage(send(client, form, **values).text)
    assert "Rows share values of ward, so they may belong together." in page.text


def test_exact_a_column_that_repeats_the_target_is_named_beside_the_form(
    client: TestClient,
) -> None:
    page = open_page(client, upload(client, COPIES.encode()).headers["location"])
    assert "Column 'kind' has one value for each value of 'y' in all 30 rows" in page.text
    numbers = "\n".join(["x,same,y", *(f"{i % 7},{i % 29 / 8},{i % 29 / 8}" for i in range(30))])
    page = open_page(client, upload(client, numbers.encode()).headers["location"])
    assert page.form("/evaluations/new").filled()["kind"] == ["cross_validation"]
    assert "Column 'same' equals 'y' in all 30 rows" in page.text
    plain = open_page(client, upload(client, CSV).headers["location"])
    assert "in all 60 rows" not in plain.text


@each(
    "target,learner,task",
    [("c", "majority", "classification"), ("colour", "majority", "classification"),
     ("y", "mean", "regression")],
)  # fmt: skip
def test_exact_the_target_decides_the_task(
    client: TestClient, target: str, learner: str, task: str
) -> None:
    form = open_form(client)

    request = request_of(client, send(client, form, target=target, learners=[learner]))
    assert request["task"] == task
    said = request_of(
        client, send(client, form, target="c", learners=["mean"], task="regression", name="said")
    )
    assert said["task"] == "regression"


def test_exact_a_source_is_left_out_whole_unless_another_scheme_is_chosen(
    client: TestClient,
) -> None:
    form = open_form(client)

    def scheme_of(**values: Any) -> Any:
        return request_of(client, send(client, form, target="y", **values))["scheme"]

    assert scheme_of(source="site") == {"name": "leave_one_source_out"}
    assert scheme_of() == {"name": "k_fold", "params": {"n_folds": 10}}
    assert scheme_of(source="site", scheme="k_fold", n_folds="5")["name"] == "k_fold"
    many = "\n".join(["y,x,site", *(f"{i / 7},{i % 3},s{i % 101}" for i in range(202))])
    form = open_form(client, many.encode())
    assert scheme_of(source="site") == {"name": "source_k_fold", "params": {"n_folds": 10}}


@pytest.mark.parametrize(
    ("content", "kind", "blocks", "reason"),
    [
        (CSV, "cross_validation", "", "Column 'y' has the name of true values"),
        (LOSSES.encode(), "losses", "", "The numbers of 'a' and 'b' look like losses or scores"),
        (METRICS.encode(), "losses", "holdout", "'rmse' and 'mae' have the names of losses"),
        (
            AGAIN.encode(),
            "cross_validation",
            "holdout",
            "Column 'a' has 30 numbers in 31 rows, but",
        ),
        (
            ALONE.encode(),
            "losses",
            "holdout",
            "of 'loss_a' and 'loss_b' look like losses",
        ),
        (
            PREDICTED.encode(),
            "predictions",
            "holdout",
            "Column 'truth' has the name of true values",
        ),
    ],
)
def test_exact_what_a_file_holds_is_proposed_with_its_reason(
    client: TestClient, content: bytes, kind: str, blocks: str, reason: str
) -> None:
    page = open_page(client, upload(client, content).headers["location"])
    sent = page.form("/evaluations/new").filled()

    assert (sent["kind"], sent["blocks"]) == ([kind], [blocks])
    assert page.text.count(reason) == 1
    if kind == "losses":
        names = [name for name in content.decode().splitlines()[0].split(",") if name != "site"]
        assert sent.get("losses", []) == (names if "rmse" not in names else [])


SCORES = [(f"q{i}", model, i % 4 / 5 + k / 8) for i in range(12) for k, model in enumerate("ab")]
LONG = "\n".join(["item,model,accuracy", *(f"{i},{m},{s}" for i, m, s in SCORES)])
TASKS = "\n".join(
    ["item,model,accuracy,task", *(f"{i},{m},{s},t{int(i[1:]) // 4}" for i, m, s in SCORES)]
)


@pytest.mark.parametrize("cell", ["error", "0.5*", "n/a"])
def test_invalid_a_model_with_a_faulty_cell_is_not_left_out(client: TestClient, cell: str) -> None:
    rows = [f"{cell if i == 7 else 5 * i % 12 / 20},{7 * i % 12 / 30}" for i in range(12)]
    form = open_form(client, "\n".join(["a,b", *rows]).encode())

    answer = send(client, form, better="lower")

    assert form.filled()["losses"] == ["a", "b"]
    assert answer.status_code == 422
    assert "row 7" in HtmlPage(answer.text).text


@pytest.mark.parametrize("is_left_out", [False, True])
def test_exact_a_row_with_an_empty_cell_is_left_out_where_the_form_says_so(
    client: TestClient, sent: list[tuple[UUID, int]], *, is_left_out: bool
) -> None:
    rows = [f"{'' if i == 7 else 5 * i % 12 / 20},{7 * i % 12 / 30}" for i in range(12)]
    form = open_form(client, "\n".join(["a,b", *rows]).encode())
    ticked = {"leave_out": "yes"} if is_left_out else {}

    answer = send(client, form, better="lower", **ticked)

    if not is_left_out:
        assert answer.status_code == 422
        assert "missing" in HtmlPage(answer.text).text
        return
    executor = make_executor()
    while sent:
        executor.run(sent.pop(0))
    result = client.get(f"/v1{answer.headers['location']}/result").json()
    assert request_of(client, answer)["missing"] == "leave_out"
    assert {model["n"] for model in result["models"].values()} == {11}


@pytest.mark.parametrize("has_tasks", [False, True])
def test_exact_a_row_for_each_item_and_model_is_paired_by_item(
    client: TestClient, sent: list[tuple[UUID, int]], *, has_tasks: bool
) -> None:
    form = open_form(client, (TASKS if has_tasks else LONG).encode())
    proposed = form.filled()
    answer = send(client, form, better="higher")
    request = request_of(client, answer)
    executor = make_executor()
    while sent:
        executor.run(sent.pop(0))
    result = client.get(f"/v1{answer.headers['location']}/result").json()

    assert (proposed["kind"], proposed["losses"]) == (["losses"], ["accuracy"])
    columns = {"model": "model", "item": "item", **({"task": "task"} if has_tasks else {})}
    assert request["logs"]["columns"] == columns
    assert [*result["models"]] == ["a", "b"]
    assert result["models"]["a"]["n"] == 12
    assert result["models"]["a"]["blocks"] == (3 if has_tasks else 1)
    np.testing.assert_allclose(result["comparisons"][0]["difference"], -1 / 8)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"losses": []}, "Choose the one column of scores of all models."),
        ({"losses": ["accuracy", "item"]}, "Choose the one column of scores of all models."),
        ({"item": ""}, "Choose the item of each row, by which the models are paired."),
        ({"blocks": ""}, "Say whether all items are one test set."),
        ({"blocks": "random"}, "Items are one test set, or sources"),
        ({"blocks": "source"}, "Items are one test set, or sources"),
        ({"block": "item"}, "Here the block is the task of the item."),
        ({"losses": ["item"]}, "is not a number in every row"),
    ],
)
def test_invalid_a_row_for_each_item_and_model_is_asked_in_words_of_the_form(
    client: TestClient, values: dict[str, Any], words: str
) -> None:
    answer = send(client, open_form(client, LONG.encode()), **{"better": "higher", **values})

    assert answer.status_code == 422
    assert words in HtmlPage(answer.text).text


def test_exact_the_form_chooses_block_and_cluster_as_compare_does(client: TestClient) -> None:
    clustered = "\n".join(
        line + (",cluster" if i == 0 else f",c{i // 4}") for i, line in enumerate(LONG.splitlines())
    )
    form = open_form(client, clustered.encode())
    request = request_of(client, send(client, form, better="higher", blocks="holdout"))
    assert request["logs"]["cluster"] == "cluster"

    blocks = LOSSES.replace("site,a,b", "block,a,b")
    form = open_form(client, blocks.encode())
    assert form.filled()["block"] == ["block"]
    answer = send(client, form, better="lower", blocks="source")
    assert request_of(client, answer)["columns"]["block"] == "block"


def test_invalid_a_row_for_each_model_without_a_clear_item_is_asked_for(client: TestClient) -> None:
    header, *rows = LONG.splitlines()
    rows = [f"{row},{row.split(',')[0]}" for row in rows]
    unclear = "\n".join([f"{header},prompt", *rows])
    answer = send(client, open_form(client, unclear.encode()), better="higher", blocks="holdout")

    assert answer.status_code == 422
    assert (
        "Choose the item of each row, by which the models are paired." in HtmlPage(answer.text).text
    )


@pytest.mark.parametrize("scores", [("acc",), ("acc", "acc_norm")])
def test_exact_scores_of_a_log_are_no_models(client: TestClient, scores: tuple[str, ...]) -> None:
    rows = [{"doc_id": i, "doc_hash": f"h{i}", **dict.fromkeys(scores, i % 2)} for i in range(12)]
    content = "\n".join(map(json.dumps, rows)).encode()
    page = open_page(client, upload(client, content, "new.jsonl").headers["location"])

    proposed = page.form("/evaluations/new").filled()

    assert proposed["kind"] == ["losses"]
    assert proposed.get("losses", []) == ([*scores] if len(scores) == 1 else [])


def test_exact_missing_values_are_filled_in_unless_that_is_unticked(client: TestClient) -> None:
    form = open_form(client, GAPS.encode())
    values = {"target": "sick", "learners": ["logistic_regression"]}

    filled = request_of(client, send(client, form, **values))
    left = request_of(client, send(client, form, **values, fill=[], name="left"))

    steps = filled["learners"]["logistic_regression"]["prepare"]
    assert [step["name"] for step in steps] == ["impute", "impute", "one_hot", "standardise"]
    steps = left["learners"]["logistic_regression"]["prepare"]
    assert [step["name"] for step in steps] == ["one_hot", "standardise"]
    assert "fill" not in open_form(client).filled()


def test_exact_the_usual_loss_of_predictions_is_that_of_the_target(client: TestClient) -> None:
    form = open_form(client, PREDICTED.encode())
    request = request_of(client, send(client, form, target="truth", predictions=["pred_a"]))

    assert (request["loss"], request["blocks"]) == ("zero_one", "holdout")


def test_exact_the_page_of_a_data_set_shows_marks_faults_and_questions(client: TestClient) -> None:
    content = GAPS.replace("5,c", "n.d.,c", 1).encode()
    page = open_page(client, upload(client, content).headers["location"])
    assert ("h2", "What this file can answer") in page.headings
    link = next(x for x in page.links if x.startswith("/data-sets/"))
    page = open_page(client, link)

    assert "row 5: 'n.d.'" in page.words
    assert (
        "1: '?' (1)" in open_page(client, upload(client, GAPS.encode()).headers["location"]).words
    )
    assert "No column has losses or scores of each of them." in page.text
    assert ("h2", "What this file can answer") in page.headings


def test_degenerate_a_file_that_is_too_large_for_a_page(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset_pages, "MOST_CELLS", 10)
    page = open_page(client, upload(client, LOSSES.encode()).headers["location"])
    answer = send(client, page.form("/evaluations/new"), target="a", learners=["mean"])

    assert "too large to be looked at for a page" in page.text
    assert "Say whether the task is a regression or a classification." in HtmlPage(answer.text).text


def test_invalid_file_is_explained_on_the_page(client: TestClient) -> None:
    answer = upload(client, b"PAR1 this is no Parquet file", "data.parquet")

    assert answer.status_code == 422
    assert "Parquet" in HtmlPage(answer.text).text


def test_invalid_upload_without_its_token(client: TestClient) -> None:
    answer = client.post("/data-sets", files={"file": ("data.csv", CSV)}, headers=HTML)

    assert answer.status_code == 403
    assert client.get("/v1/datasets").json()["items"] == []


def test_exact_a_data_set_has_a_page_and_can_be_deleted(client: TestClient) -> None:
    upload(client)
    (link,) = [x for x in open_page(client, "/data-sets").links if x.startswith("/data-sets/")]
    page = open_page(client, link)
    follow(client, page)

    answer = send(client, page.form(f"{link}/delete"))

    assert {"x", "colour", "y", "site"} <= set(page.words)
    assert ("h2", "What was understood of the file") in page.headings
    assert answer.headers["location"] == "/data-sets"
    open_page(client, link, 404)


def test_exact_a_request_is_sent_as_json(client: TestClient) -> None:
    page = open_page(client, "/evaluations/new")
    answer = send(client, page.form("/evaluations/new/json"), request=json.dumps(matrix()))

    assert request_of(client, answer)["losses"] == matrix()["losses"]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_exact_every_question_is_sent_as_json_and_shown(
    question: Question, client: TestClient, worker: InlineWorker
) -> None:
    run = question.ways[0].run
    assert isinstance(run, Post)
    page = open_page(client, "/evaluations/new")

    answer = send(client, page.form("/evaluations/new/json"), request=json.dumps(run.request))
    worker.work()

    assert answer.status_code == 303, HtmlPage(answer.text).text
    path = answer.headers["location"]
    shown = open_page(client, path)
    follow(client, shown, path)
    assert question.shown in shown.text
    assert question.is_answered(client.get(f"/v1{path}/result").json())


@pytest.mark.parametrize(
    ("question", "changes", "message"),
    [
        ("probabilities", {"probabilities": {"bin": 3}}, "probabilities.bin"),
        ("probabilities", {"scores": {"new": [1.5] * 60, "old": [0.5] * 60}}, "scores.new.0"),
        ("prediction sets", {"sets": {"m": [["a"]]}}, "sets.m"),
        ("prediction limits", {"limits": {"m": {"lower": [1.0] * 60}}}, "limits.m.upper"),
        (
            "prediction limits",
            {"limits": {"m": {"lower": [0.9] * 60, "upper": [0.1] * 60}}},
            "limits.m",
        ),
    ],
)
def test_invalid_questions_sent_as_json_name_the_place(
    question: str, changes: dict[str, Any], message: str, client: TestClient
) -> None:
    (run,) = (each.ways[0].run for each in QUESTIONS if each.name == question)
    assert isinstance(run, Post)

    assert message in refuse_json(client, json.dumps({**run.request, **changes})).text


def refuse_json(client: TestClient, text: str) -> HtmlPage:
    page = open_page(client, "/evaluations/new")

    answer = send(client, page.form("/evaluations/new/json"), request=text)

    assert answer.status_code == 422
    again = HtmlPage(answer.text)
    again.check()
    assert "request-error" in again.ids
    return again


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kind": "loses"}', '{"kind": "losses"}'])
def test_invalid_json_is_explained_and_kept(text: str, client: TestClient) -> None:
    assert text in refuse_json(client, text).text


def test_invalid_json_has_every_fault_on_the_page(client: TestClient) -> None:
    wrong = {**matrix(), "variances": ["nope"], "intervals": ["none"]}
    shown = refuse_json(client, json.dumps(wrong)).text
    assert "variances.0" in shown
    assert "intervals.0" in shown


def test_exact_an_earlier_request_can_be_changed(client: TestClient) -> None:
    identifier = submit(client, {**matrix(), "name": "before"})
    link = f"/evaluations/new?request={identifier}"

    assert link in open_page(client, f"/evaluations/{identifier}").links
    assert '"name": "before"' in open_page(client, link).text


@pytest.mark.parametrize(
    "path", ["/methods", "/methods/variances", "/methods/learners", "/studies"]
)
def test_exact_the_catalogue_has_pages(path: str, client: TestClient) -> None:
    page = open_page(client, path)

    follow(client, page)
    if path == "/methods/variances":
        assert "Nadeau" in page.text
        assert "Direction of error" in page.words


def test_exact_every_formula_is_typeset(client: TestClient) -> None:
    for family in client.get("/v1/methods").json()["families"]:
        text = client.get(f"/methods/{family['name']}", headers=HTML).text
        with_formula = [
            item for item in client.get(family["link"]).json()["items"] if item.get("formula")
        ]
        assert text.count("<math ") == len(with_formula)
        assert "<merror" not in text


def test_exact_a_preset_is_run_by_a_form(client: TestClient) -> None:
    page = open_page(client, "/studies")
    forms = [form for form in page.forms if form.action == "/evaluations/new/json"]

    answer = send(client, forms[0])

    assert urlsplit(answer.headers["location"]).path.startswith("/evaluations/")
    assert request_of(client, answer)["kind"] == "study"
