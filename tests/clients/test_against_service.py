from __future__ import annotations

import io
import time
import zipfile
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow.parquet as pq
import pytest

from thetahat_client import Client, Evaluation, EvaluationFailed, NotFound, Refused
from thetahat_client.text import result_text

LOSSES = {"nb": [[0, 1, 0], [1, 1, 0]], "svm": [[0, 0, 1], [1, 0, 0]]}
REQUEST = {"kind": "losses", "blocks": "random", "losses": LOSSES, "labels": {"test": "clients"}}
NOBODY = "6f4ad604-12fd-4db7-880e-56840c8b2213"


def points(path: Path) -> Path:
    """Three sites with a line each; the answer is nearly linear in x."""
    rng = np.random.default_rng(20261121)
    x = rng.standard_normal(30)
    rows = [
        f"{a:.4f},{2 * a + b:.4f},{i % 3}"
        for i, (a, b) in enumerate(zip(x, x[::-1] / 9, strict=True))
    ]
    path.write_text("\n".join(["x,y,site", *rows]))
    return path


def test_exact_losses_go_in_and_the_result_comes_out(client: Client) -> None:
    done = client.submit(REQUEST, wait=60)

    assert done.status == "succeeded"
    assert done.result is not None
    assert done.result["models"]["nb"]["mean"]["macro"] == pytest.approx(0.5, rel=1e-12)
    assert client.result(done.id) == done.result
    assert client.get(done.id).result is None
    assert "nb " in result_text(done.result)


def test_exact_losses_come_back_in_every_type(client: Client) -> None:
    done = client.submit(REQUEST, wait=60)

    table = pq.read_table(io.BytesIO(client.losses(done.id, "parquet")))
    assert table.column("nb").to_pylist() == [0, 1, 0, 1, 1, 0]
    lines = client.losses(done.id, "csv").splitlines()
    assert len(lines) == 7
    assert {"nb", "svm"} <= set(lines[0].replace('"', "").split(","))
    assert "svm" in str(client.losses(done.id))


def test_exact_the_instances_on_which_models_differ_are_listed(client: Client) -> None:
    done = client.submit(REQUEST, wait=60)

    first = client.differences(done.id, "svm", "nb", limit=2)
    rest = client.differences(done.id, "svm", "nb", offset=first["next"])
    assert first["total"] == 6
    items = [*first["items"], *rest["items"]]
    differences = [item["difference"] for item in items]
    assert [abs(each) for each in differences] == [1, 1, 1, 0, 0, 0]
    assert {item["instance"] for item in items} == {1, 2, 3, 4, 5, 6}
    found = client.differences(done.id, search="no such label")
    assert (found["total"], found["items"]) == (0, [])
    with pytest.raises(Refused, match="no model 'none'"):
        client.differences(done.id, "none")


def test_exact_a_data_set_is_kept_once_and_cross_validated(client: Client, tmp_path: Path) -> None:
    path = points(tmp_path / "points.csv")
    data = client.upload(path)
    seen: list[Evaluation] = []

    assert client.upload(path).id == data.id
    assert (data.rows, data.name) == (30, "points.csv")
    assert [c.name for c in client.dataset(data.id).columns] == ["x", "y", "site"]
    assert data.id in [d.id for d in client.datasets(page_size=1)]
    assert len(client.preview(data.id, 5)["rows"]) == 5
    understood = client.understand(data.id)
    assert [c["role"] for c in understood["columns"]] == ["feature", "target", "label"]
    assert (understood["kind"], understood["rows"]) == ("cross_validation", 30)
    sent = client.submit(
        {
            "kind": "cross_validation",
            "dataset": data.id,
            "columns": {"target": "y", "features": ["x"], "source": "site"},
            "task": "regression",
            "learners": {"mean": "mean", "ridge": {"name": "ridge", "params": {"penalty": 0.1}}},
            "scheme": "leave_one_source_out",
            "loss": "squared",
        }
    )
    done = client.wait(sent.id, 120, progress=seen.append)
    models = client.result(done.id)["models"]

    assert done.status == "succeeded"
    assert done.progress.share == 1
    assert seen[-1] == done
    assert models["ridge"]["mean"]["macro"] < 0.1 < models["mean"]["mean"]["macro"]

    client.delete(done.id)
    client.delete_dataset(data.id)
    with pytest.raises(NotFound):
        client.dataset(data.id)
    with pytest.raises(NotFound):
        client.get(done.id)


def test_exact_the_same_key_makes_one_evaluation(client: Client) -> None:
    key = str(uuid4())
    first = client.submit(REQUEST, idempotency_key=key)

    assert client.submit(REQUEST, idempotency_key=key).id == first.id
    assert client.submit(REQUEST).id != first.id
    with pytest.raises(Refused) as refused:
        client.submit({**REQUEST, "level": 0.9}, idempotency_key=key)
    assert refused.value.type == "/problems/idempotency_mismatch"


def test_exact_lists_are_read_over_all_pages(client: Client) -> None:
    labels = {"page": str(uuid4())}
    sent = [client.submit({**REQUEST, "labels": labels}).id for _ in range(3)]
    for identifier in sent:
        client.wait(identifier, 120)

    listed = list(client.evaluations(labels=labels, status="succeeded", page_size=1))
    assert [e.id for e in listed] == sent[::-1]
    assert listed[0].labels == labels
    assert list(client.evaluations(labels=labels, kind="predictions")) == []
    client.sign_off(sent[0], name="Ann", decision="approved")
    signed = list(client.evaluations(labels=labels, sign_off="approved"))
    assert [(e.id, e.sign_off, e.verdict) for e in signed] == [
        (sent[0], "approved", listed[0].verdict)
    ]
    assert len(list(client.evaluations(labels=labels, verdict=listed[0].verdict))) == len(sent)
    assert list(client.evaluations(labels=labels, gate="pass")) == []


def test_exact_the_message_names_the_wrong_value(client: Client) -> None:
    with pytest.raises(Refused) as refused:
        client.submit({**REQUEST, "level": 2})
    assert refused.value.status == 422
    assert refused.value.errors[0].loc == ("level",)
    assert refused.value.errors[0].value == 2
    with pytest.raises(NotFound, match=NOBODY):
        client.result(NOBODY)
    with pytest.raises(NotFound):
        client.delete(NOBODY)
    with pytest.raises(Refused) as refused:
        client.upload(b"no parquet", media_type="application/vnd.apache.parquet")
    assert refused.value.problem.code == "invalid_file"


def test_exact_an_evaluation_without_result_says_why(client: Client) -> None:
    # Without site b, every training instance is of class n.
    data = client.upload(b"x,y,s\n1,n,a\n2,n,a\n3,n,c\n4,n,c\n5,y,b\n6,y,b\n", name="one.csv")
    sent = client.submit(
        {
            "kind": "cross_validation",
            "dataset": data.id,
            "columns": {"target": "y", "features": ["x"], "source": "s"},
            "task": "classification",
            "learners": {"bayes": "gaussian_naive_bayes"},
            "scheme": "leave_one_source_out",
            "loss": "zero_one",
        }
    )
    ended = client.wait(sent.id, 120)

    assert ended.status == "failed"
    assert ended.error is not None
    with pytest.raises(EvaluationFailed) as failed:
        client.result(sent.id)
    assert failed.value.problem == ended.error
    assert ended.error.detail in str(failed.value)


def test_exact_a_result_is_signed_and_reported(client: Client) -> None:
    done = client.submit({**REQUEST, "name": "to be signed"}, wait=30)

    signed = client.sign_off(done.id, name="Ann", decision="needs_changes", comment="More folds.")
    again = client.sign_off(done.id, name="Ann", decision="needs_changes", comment="More folds.")

    assert signed == again
    assert signed.matches_result
    assert [each.decision for each in client.sign_offs(done.id)] == ["needs_changes"]
    assert client.report(done.id).startswith(b"%PDF-")
    html = client.report(done.id, "html").decode()
    assert "Needs changes by Ann" in html
    assert signed.result_sha256 in html
    with pytest.raises(Refused, match="result_sha256 is not that"):
        client.sign_off(done.id, name="Bob", decision="approved", result_sha256="0" * 64)


def test_exact_a_bundle_and_a_notebook_are_read(client: Client) -> None:
    done = client.submit(REQUEST, wait=30)

    names = zipfile.ZipFile(io.BytesIO(client.bundle(done.id, report=True))).namelist()
    assert names == [
        "request.json",
        "result.json",
        "report.html",
        "losses.parquet",
        "statement.json",
    ]
    assert b"thetahat.evaluate(" in client.notebook(done.id)
    assert set(zipfile.ZipFile(io.BytesIO(client.bundle(done.id))).namelist()) < set(names)


def test_exact_ended_evaluations_are_not_cancelled(client: Client) -> None:
    done = client.submit(REQUEST, wait=60)

    assert client.cancel(done.id).status == "succeeded"


@pytest.mark.parametrize("family", ["schemes", "learners", "losses", "variances", "tests"])
def test_exact_methods_are_listed(client: Client, family: str) -> None:
    methods = client.methods(family)

    assert len(methods) > 3
    assert all(method["name"] and method["title"] for method in methods)


def test_exact_events_come_in_order_to_the_end(client: Client) -> None:
    sent = client.submit(REQUEST)
    events = list(client.events(sent.id))

    kept = [event for event in events if event.number is not None]
    assert [event.type for event in kept if event.type != "progress"] == [
        "queued",
        "started",
        "succeeded",
    ]
    assert [event.number for event in kept] == sorted({event.number or 0 for event in kept})
    assert str(kept[0].data["at"]).startswith("20")
    later = [event.number for event in client.events(sent.id, after=kept[0].number or 0)]
    assert later == [event.number for event in kept[1:]]
    assert list(client.events(sent.id, after=kept[-1].number or 0)) == []
    with pytest.raises(NotFound):
        list(client.events(NOBODY))


def test_exact_it_is_ready_once_it_has_computed(client: Client) -> None:
    assert client.submit(REQUEST, wait=60).status == "succeeded"
    deadline = time.monotonic() + 30
    while not client.ready():  # the worker records it with its next heartbeat
        assert client.state() in {"warming", "ready"}
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert client.state() == "ready"


def test_exact_two_evaluations_on_one_leaderboard(client: Client) -> None:
    losses = {"a": [0, 1, 0, 1, 1, 0], "b": [1, 1, 1, 0, 1, 1], "c": [0, 0, 0, 1, 0, 0]}
    body = {"kind": "losses", "blocks": "holdout", "instance": [f"item {i}" for i in range(6)]}
    named = [
        client.submit({**body, "losses": {name: losses[name] for name in names}}, wait=60).id
        for names in ("ab", "bc")
    ]

    (board,) = client.leaderboards(named)["boards"]

    assert [each["id"] for each in board["evaluations"]] == named
    assert list(board["models"]) == ["a", "b", "c"]
    with pytest.raises(Refused, match="from 1 to 50"):
        client.leaderboards(named * 20 + [str(uuid4()) for _ in range(50)])


def test_exact_a_ladder_and_its_scores(client: Client) -> None:
    dataset = client.upload(
        f"y,a,b,{uuid4()}\n1,0,1,0\n2,0,2,0\n4,0,4,0\n".encode(), media_type="text/csv"
    )
    for model in ("a", "b"):
        request = {
            "kind": "ladder",
            "dataset": dataset.id,
            "columns": {"target": "y", "predictions": {model: model}},
            "loss": "squared",
        }
        client.submit(request, wait=60)
    (ladder,) = client.ladders(dataset=dataset.id, target="y")
    scores = list(client.ladder_scores(ladder.id, page_size=1))

    assert client.ladder(ladder.id) == ladder
    assert (ladder.score, ladder.leader, ladder.submissions) == (0.0, "b", 2)
    assert [(each.submission, each.score, each.model) for each in scores] == [
        (2, 0.0, "b"),
        (1, 7.0, "a"),
    ]
    assert client.ladder_figure(ladder.id).startswith(b"<svg")
    with pytest.raises(NotFound):
        client.ladder(str(uuid4()))


def test_exact_an_evaluation_and_its_protocol(client: Client) -> None:
    made = client.create_protocol({"name": "plan", "margin": 0.1, "level": 0.9})
    done = client.submit({**REQUEST, "protocol": made.id, "margin": 0.1}, wait=60)
    result: Any = client.result(done.id)
    named = [each.id for each in client.evaluations(protocol=made.id)]
    withdrawn = client.withdraw_protocol(made.id, "other labels")
    other = client.create_protocol({"margin": 0.2})

    assert made.fixed == {"margin": 0.1, "level": 0.9}
    assert made.withdrawn_at is None
    assert result["protocol"]["deviations"][-1]["text"] == "level 0.95 (planned: 0.9)"
    assert result["protocol"]["sentence"] in " ".join(result_text(result).split())
    assert named == [done.id]
    assert (withdrawn.withdrawn_reason, withdrawn.evaluations) == ("other labels", 1)
    assert withdrawn.withdrawn_at is not None
    assert {made.id, other.id} <= {each.id for each in client.list_protocols(page_size=1)}
    with pytest.raises(Refused, match="is named by an evaluation"):
        client.delete_protocol(made.id)
    client.delete_protocol(other.id)
    with pytest.raises(NotFound):
        client.protocol(other.id)


def test_exact_a_series_is_added_to_and_decided(client: Client) -> None:
    made = client.create_series({"models": ["new", "old"], "margin": 0.1})
    key = str(uuid4())
    losses = {"new": np.tile([0, 0, 0, 1], 40), "old": np.tile([1, 0, 1, 1], 40)}
    look, again = (client.add_batch(made.id, losses, idempotency_key=key) for _ in range(2))
    more = client.add_batch(made.id, losses)
    series = client.series(made.id)

    assert look == again
    assert (look.number, look.decision, more.number) == (1, "better", 2)
    assert [each.number for each in client.looks(made.id, page_size=1)] == [2, 1]
    assert (series.batches, series.rows, series.decision) == (2, 320, "better")
    assert series.latest == more
    assert made.id in [each.id for each in client.list_series(status="open")]
    assert client.series_figure(made.id).startswith(b"<svg")
    assert client.close_series(made.id).status == "closed"
    with pytest.raises(Refused, match="takes no more batches"):
        client.add_batch(made.id, losses)
    client.delete_series(made.id)
    with pytest.raises(NotFound):
        client.series(made.id)
