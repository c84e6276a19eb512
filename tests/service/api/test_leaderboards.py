"""Models of several evaluations ranked together."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from numpy.testing import assert_allclose
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.test_pages import HTML, open_page, submit
from thetahat_presentation.parts.ranking import describe_ranking
from thetahat_service.jobs import leaderboards
from thetahat_service.recomputation.leaderboards import EvaluationToRank, build_leaderboards

N = 90
RNG = np.random.default_rng(36)
RATES = {"a": 0.1, "b": 0.15, "c": 0.5, "d": 0.55, "e": 0.6}
RIGHT = {name: (RNG.random(N) >= rate).astype(int) for name, rate in RATES.items()}
ITEMS = [f"item {i}" for i in range(N)]


def request(names: str, order: Any = slice(None), **changes: Any) -> dict[str, Any]:
    return {
        "kind": "losses",
        "blocks": "holdout",
        "better": "higher",
        "losses": {name: RIGHT[name][order].tolist() for name in names},
        "instance": np.array(ITEMS)[order].tolist(),
        "name": f"models {names}",
        **changes,
    }


@pytest.fixture
def ids(client: TestClient, worker: InlineWorker) -> dict[str, str]:
    shuffled = RNG.permutation(N)
    other = {**request("ab"), "instance": [f"other {i}" for i in range(N)]}
    unnamed = {name: value for name, value in request("ab").items() if name != "instance"}
    bodies = {
        "ab": request("ab"),
        "cde": request("cde", shuffled),
        "bc": request("bc", shuffled[::-1]),
        "all": request("abcde"),
        "other": other,
        "unnamed": unnamed,
        "scores": {
            "kind": "losses",
            "split_scores": {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.2, 0.3]},
            "n_train": 20,
            "n_test": 10,
            "better": "lower",
        },
    }
    found = {name: submit(client, body) for name, body in bodies.items()}
    worker.work()
    return found


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process rank the models, and not one of its own; one test has it as it is."""

    def compute(owner_id: UUID, *identifiers: UUID) -> str:
        return leaderboards.compute_leaderboards(owner_id, identifiers)

    monkeypatch.setattr(leaderboards._BOARDS, "_compute", compute)


def rank(client: TestClient, *named: str) -> Any:
    answer = client.get("/v1/leaderboards", params={"of": list(named)})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_exact_models_of_two_evaluations_are_ranked_as_in_one(
    client: TestClient, ids: dict[str, str]
) -> None:
    found = rank(client, ids["ab"], ids["cde"])
    (board,) = found["boards"]
    whole = client.get(f"/v1/evaluations/{ids['all']}/result").json()

    assert found["left_out"] == []
    assert [each["id"] for each in board["evaluations"]] == [ids["ab"], ids["cde"]]
    assert (board["n"], board["same_data"], board["level"]) == (N, False, 0.95)
    assert board["result"]["ranking"] == whole["ranking"]
    for pair, expected in zip(board["result"]["comparisons"], whole["comparisons"], strict=True):
        assert (pair["a"], pair["b"]) == (expected["a"], expected["b"])
        for end in ("lower", "upper"):
            assert_allclose(pair["interval"][end], expected["interval"][end], rtol=1e-9)
        assert pair["verdict"]["decision"] == expected["verdict"]["decision"]


@pytest.mark.usefixtures("in_this_process")
def test_exact_a_model_that_several_evaluations_have_is_one(
    client: TestClient, ids: dict[str, str]
) -> None:
    (board,) = rank(client, ids["ab"], ids["bc"], ids["cde"])["boards"]

    assert list(board["models"]) == ["a", "b", "c", "d", "e"]
    assert board["models"]["b"]["evaluations"] == [ids["ab"], ids["bc"]]


@pytest.mark.usefixtures("in_this_process")
def test_exact_an_evaluation_without_a_name_is_called_by_its_models(
    client: TestClient, worker: InlineWorker
) -> None:
    body = {name: value for name, value in request("ab").items() if name != "name"}
    unnamed = submit(client, body)
    worker.work()

    assert rank(client, unnamed)["boards"][0]["evaluations"][0]["title"] == "Losses of a and b"


@pytest.mark.usefixtures("in_this_process")
def test_exact_other_rows_and_rows_without_names_have_boards_of_their_own(
    client: TestClient, ids: dict[str, str]
) -> None:
    named = [ids[each] for each in ("ab", "other", "unnamed", "cde", "scores")]
    found = rank(client, *named)
    groups = [[each["id"] for each in board["evaluations"]] for board in found["boards"]]

    assert groups == [[ids["ab"], ids["cde"]], [ids["other"]], [ids["unnamed"]]]
    assert [each["evaluation"] for each in found["left_out"]] == [ids["scores"]]
    assert "not kept" in found["left_out"][0]["reason"]
    whole, other, unnamed = found["boards"]
    assert whole["apart_because"] is None
    assert other["apart_because"].startswith(
        "Of 90 instances 0 have the name of one in 'models ab'"
    )
    assert unnamed["apart_because"].startswith("Rows have no names here, and the data have other ")
    assert "Name the rows in instance" in unnamed["apart_because"]

    page = open_page(client, "/leaderboard?" + "&".join(f"of={each}" for each in named))
    assert "2 evaluations together" in page.words
    assert f"Not ranked with the others: {other['apart_because']}" in page.words
    assert "models ab, by itself" in page.words


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"better": "lower"}, "Lower values are better, and higher in 'models cde'."),
        (
            {"blocks": "random", "block": ["a", "b", "c"] * 30},
            "The blocks are of kind random, and in 'models cde' of kind holdout.",
        ),
        ({"instance": None}, "Rows have no names here, and"),
        ({"cluster": ["a", "b", "c"] * 30}, "Rows have another cluster than in 'models cde'."),
        (
            {"instance": [f"item {i + 30}" for i in range(N)]},
            "Of 90 instances 60 have the name of one in 'models cde', and all must.",
        ),
    ],
)
def test_exact_why_an_evaluation_is_not_ranked_with_others(
    client: TestClient, worker: InlineWorker, changes: dict[str, Any], said: str
) -> None:
    bodies = [request("cde"), request("cd"), {**request("ab"), **changes}]
    named = [submit(client, body) for body in bodies]
    worker.work()
    first, apart = rank(client, named[2], *named[:2])["boards"]
    assert len(first["evaluations"]) == 2
    assert apart["apart_because"].startswith(said)


def test_exact_other_losses_of_one_name_are_two_models() -> None:
    from thetahat.values.block_losses import BlockLosses, LossTable
    from thetahat.values.layout import build_layout
    from thetahat.values.types import BlockKind

    layout = build_layout(BlockKind.HOLDOUT, np.zeros(N, dtype=np.intp), instance=ITEMS)

    def keep(identifier: str, values: Any, measure: str = "") -> EvaluationToRank:
        return EvaluationToRank(
            id=identifier,
            title="run",
            data_sha256=identifier,
            measure=measure,
            level=0.9 if identifier == "1" else 0.95,
            margin=0.1,
            noun=None,
            table=LossTable(layout, {"m": BlockLosses(layout, values=1.0 * values)}),
        )

    one, other = keep("1", RIGHT["a"]), keep("2", RIGHT["c"])
    (board,) = build_leaderboards([one, other], 200)["boards"]
    assert list(board["models"]) == ["m (run, 1)", "m (run, 2)"]
    assert (board["level"], board["margin"]) == (0.95, 0.1)
    apart = build_leaderboards([one, keep("2", RIGHT["c"], "f1")], 200)
    assert [each["apart_because"] for each in apart["boards"]] == [
        None,
        "The loss or score is not that of 'run'. Evaluate all models by the same one.",
    ]
    refused = build_leaderboards([one, other], 1)
    assert refused["boards"] == []
    assert "at most 1 are ranked" in refused["left_out"][0]["reason"]


@pytest.mark.usefixtures("in_this_process")
def test_exact_costs_are_on_a_board_if_each_model_has_one_in_one_unit(
    client: TestClient, worker: InlineWorker
) -> None:
    rows = np.linspace(1.0, 3.0, N).tolist()
    of_cd = {"cost": {"c": 3.0, "d": 0.5}, "cost_unit": "USD"}
    bodies = [
        request("ab", cost={"a": [8.0] * N, "b": rows}, cost_unit="USD", margin=0.4),
        request("cd", margin=0.4, **of_cd),
        request("e", margin=0.4),
        request("bc", margin=0.4, cost={"b": 2.0, "c": 1.0}, cost_unit="USD"),
    ]
    ab, cd, e, bc = [submit(client, body) for body in bodies]
    worker.work()

    board = rank(client, ab, cd)["boards"][0]["result"]
    costs = {name: model["cost"]["mean"] for name, model in board["models"].items()}
    assert costs == pytest.approx({"a": 8.0, "b": 2.0, "c": 3.0, "d": 0.5})
    pair = next(each for each in board["comparisons"] if {each["a"], each["b"]} == {"a", "b"})
    assert "b is 75 % cheaper (2 against 8 USD)" in pair["cost"]["sentence"]
    page = open_page(client, f"/leaderboard?of={ab}&of={cd}")
    assert any("b is 75 % cheaper" in words for words in page.words)
    for others in ((ab, cd, e), (cd, bc)):  # e has no cost, and c has two
        assert "cost" not in rank(client, *others)["boards"][0]["result"]


@pytest.mark.usefixtures("in_this_process")
def test_exact_the_page_has_ranks_ties_and_the_smallest_gap(
    client: TestClient, ids: dict[str, str]
) -> None:
    query = "&".join(f"of={ids[each]}" for each in ("ab", "cde", "scores"))
    answer = client.get(f"/compare?{query}", headers=HTML, follow_redirects=False)
    assert answer.status_code == 303
    page = open_page(client, answer.headers["location"])
    (board,) = rank(client, ids["ab"], ids["cde"])["boards"]
    ranking = board["result"]["ranking"]
    sentences = describe_ranking(board["result"])

    for sentence in sentences:
        assert sentence in page.words
    assert ranking["ranks"]["a"]["best"] == ranking["ranks"]["b"]["best"] == 1
    assert "shares rank 1 with 1 of 4 others" in sentences[0]
    assert f"a difference of {float(format(ranking['smallest_gap'], '.2g')):g} from" in sentences[1]
    assert "Not ranked" in page.words
    assert f"/leaderboard?of={ids['ab']}" in str(
        open_page(client, f"/compare?of={ids['ab']}&of={ids['cde']}").links
    )


def test_invalid_leaderboards(client: TestClient, ids: dict[str, str]) -> None:
    assert client.get("/v1/leaderboards").status_code == 422
    assert client.get("/v1/leaderboards", params={"of": str(uuid4())}).status_code == 404
    many = {"of": [str(uuid4()) for _ in range(51)]}
    assert "from 1 to 50" in client.get("/v1/leaderboards", params=many).text
    waiting = submit(client, request("ab", seed=5))
    assert client.get("/v1/leaderboards", params={"of": waiting}).status_code == 409
    assert "is queued" in open_page(client, f"/leaderboard?of={waiting}").text
    open_page(client, f"/leaderboard?of={uuid4()}", 404)
    open_page(client, "/leaderboard?of=1", 404)
    del ids


def test_by_hand_sentences_of_a_ranking() -> None:
    ranks = {"a": {"best": 1, "worst": 1}, "b": {"best": 2, "worst": 3}}
    ranking = {"ranks": ranks, "smallest_gap": 0.0512, "compared_with": "a", "power": 0.8}

    alone, gap = describe_ranking({"ranking": ranking})
    assert alone == "a alone has rank 1."
    assert gap.startswith("This test set can resolve a difference of 0.051 from a: a model that is")
    assert "shown to be worse with probability 80 %" in gap
    assert describe_ranking({}) == []
