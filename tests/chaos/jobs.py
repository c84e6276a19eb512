"""The evaluations that are run under faults, and how they are sent and compared."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import numpy as np
import orjson

import thetahat_service.kinds

N_SEEDS: Final = 4
"""Evaluations of each sort; further ones repeat these requests."""
UNFINISHED: Final = ("queued", "running")
SEND_S: Final = 240.0
"""How long a request is sent again while the service does not accept it.

At load 33 it did not for over 90 s, after API, its keeper and the machine were killed in 15 s.
"""
RETRY_S: Final = 0.1
EXAMPLES: Final = Path(thetahat_service.kinds.__file__).parent
RNG: Final = np.random.default_rng(20_261_122)
X: Final = RNG.normal(size=(40, 3))
Y: Final = X @ [1.0, -2.0, 0.5] + RNG.normal(size=40)
LEARNERS: Final[dict[str, Any]] = {
    "ridge": "ridge",
    "tree": {"name": "DecisionTreeRegressor", "params": {"max_features": 1}},
    "forest": {"name": "RandomForestRegressor", "params": {"n_estimators": 3}},
    "signed": "GammaRegressor",  # fails: there are values below 0
}


WEIGHTS: Final = {"cross_validation": 1 / 3}
"""By kind: how often an evaluation is drawn, for other kinds 1; it takes ten times as long."""


def draw_request(bodies: Sequence[Mapping[str, Any]], rng: np.random.Generator) -> int:
    """Return the number of a random evaluation."""
    weights = np.array([WEIGHTS.get(body["kind"], 1.0) for body in bodies])
    return int(rng.choice(len(bodies), p=weights / weights.sum()))


def build_requests(n_seeds: int = N_SEEDS) -> list[dict[str, Any]]:
    """Return the bodies of all different evaluations: five with each seed."""
    bodies: list[dict[str, Any]] = []
    for seed in range(n_seeds):
        bodies += [
            {"kind": "sleeping", "seed": seed, "seconds": 0.02},
            {
                "kind": "sleeping",
                "seed": seed,
                "seconds": 0.02,
                "n_chunks": 6,
                "parts": ["a", "b"],
            },
            {
                "kind": "cross_validation",
                "seed": seed,
                "task": "regression",
                "data": {"X": X.tolist(), "y": Y.tolist()},
                "learners": LEARNERS,
                "scheme": {"name": "repeated_k_fold", "params": {"n_folds": 4, "n_repeats": 2}},
            },
            _read_example("losses", seed),
            _read_example("bootstrap", seed),
        ]
    return bodies


def _read_example(kind: str, seed: int) -> dict[str, Any]:
    body: dict[str, Any] = orjson.loads((EXAMPLES / kind / "example_request.json").read_bytes())
    return {**body, "seed": seed}


@dataclass(frozen=True)
class Outcome:
    """What a client sees of a finished evaluation."""

    status: str
    error: Any
    result: bytes = b""
    losses: bytes = b""

    @property
    def without_provenance(self) -> dict[str, Any]:
        """The result without its provenance, which has a digest of the request."""
        document: dict[str, Any] = orjson.loads(self.result)
        return {name: value for name, value in document.items() if name != "provenance"}

    @property
    def failed_learners(self) -> set[str]:
        """The learners that the result lists as failed."""
        if not self.result:
            return set()
        document = orjson.loads(self.result)
        parts: Mapping[str, Any] = document.get("parts") or {}
        failed = {name for name, part in parts.items() if isinstance(part, dict)}
        return failed | set(document.get("failures") or ())


def judge(outcome: Outcome | None, wanted: Outcome, *, is_poisoned: bool = False) -> str | None:
    """Return what is wrong with an outcome; a request that poisons has a digest of its own."""
    if outcome is None:
        return "lost"
    if outcome.status in UNFINISHED:
        return "stuck"
    if outcome.status != "succeeded":
        return "falsely failed"
    if outcome.failed_learners - wanted.failed_learners:
        return "learners missing"
    same_result = outcome.result == wanted.result or (
        is_poisoned and outcome.without_provenance == wanted.without_provenance
    )
    return None if same_result and outcome.losses == wanted.losses else "altered"


def _require_success(answer: httpx.Response) -> None:
    """Raise an error with what the service says, where it still refuses after all tries."""
    if answer.is_error:
        place = f"{answer.request.method} {answer.request.url.path}"
        message = f"{place} was answered {answer.status_code}: {answer.text[:500]}"
        raise RuntimeError(message)


@dataclass
class Client:
    """Sends requests until they are answered; a request that is sent twice counts once."""

    url: str
    http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.http = httpx.Client(base_url=self.url, timeout=15.0)

    def submit(self, body: Mapping[str, Any]) -> UUID:
        """Submit an evaluation and return its id."""
        key = str(uuid4())
        answer = self._send("POST", "/v1/evaluations", json=body, headers={"Idempotency-Key": key})
        _require_success(answer)
        return UUID(answer.json()["id"])

    def cancel(self, evaluation_id: UUID) -> None:
        """Cancel an evaluation, which may have finished already."""
        self._send("POST", f"/v1/evaluations/{evaluation_id}/cancel")

    def read(self, evaluation_id: UUID) -> Outcome | None:
        """Return the outcome of an evaluation; None if there is no such evaluation."""
        address = f"/v1/evaluations/{evaluation_id}"
        answer = self._send("GET", address)
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None
        document = answer.json()
        if document["status"] != "succeeded":
            return Outcome(document["status"], document.get("error"))
        result = self._send("GET", f"{address}/result").content
        losses = self._send("GET", f"{address}/losses")
        content = losses.content if losses.status_code == httpx.codes.OK else b""
        return Outcome("succeeded", None, result, content)

    def create(self, path: str, body: Mapping[str, Any], key: str | None = None) -> str:
        """Create an evaluation, a series or a protocol, and return its path."""
        headers = {"Idempotency-Key": key or str(uuid4())}
        answer = self._send("POST", path, json=body, headers=headers)
        _require_success(answer)
        return f"{path}/{answer.json()['id']}"

    def add_batch(self, path: str, key: str, losses: Mapping[str, Sequence[float]]) -> int:
        """Add a batch to a series and return the number of its look."""
        answer = self._send(
            "POST", f"{path}/batches", json={"losses": losses}, headers={"Idempotency-Key": key}
        )
        _require_success(answer)
        return int(answer.json()["number"])

    def post_once(self, path: str, body: Mapping[str, Any], key: str, timeout: float) -> None:
        """Send a request once and wait so many seconds for any answer."""
        self.http.post(path, json=body, headers={"Idempotency-Key": key}, timeout=timeout)

    def read_document(self, path: str) -> dict[str, Any]:
        """Return the document at a path."""
        document: dict[str, Any] = self._send("GET", path).json()
        return document

    def list_look_numbers(self, path: str) -> set[int]:
        """Return the numbers of all looks of a series."""
        numbers: set[int] = set()
        page: dict[str, Any] = {"next": ""}
        while page["next"] is not None:
            cursor = {"cursor": page["next"]} if page["next"] else {}
            page = self._send("GET", f"{path}/looks", params={"limit": 100, **cursor}).json()
            numbers |= {look["number"] for look in page["items"]}
        return numbers

    def _send(self, method: str, address: str, **options: Any) -> httpx.Response:
        deadline = time.monotonic() + SEND_S
        while True:
            try:
                answer = self.http.request(method, address, **options)
            except httpx.TransportError:
                if time.monotonic() > deadline:
                    raise
            else:
                wanted = answer.status_code < 500 and answer.status_code not in {409, 429}
                if wanted or time.monotonic() > deadline:
                    return answer
            time.sleep(RETRY_S)
