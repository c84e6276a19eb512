"""Evaluations and series that name a protocol under faults: each keeps its check, counted once."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import numpy as np

from tests.chaos.jobs import Client
from tests.chaos.series import LOST_AFTER_S, LOST_SHARE
from tests.service.series.batches import draw

PLANNED_MARGIN: Final = 0.1
OTHER_MARGIN: Final = 0.2
EVERY_SERIES: Final = 4
"""Of so many things that name the protocol, one is a series."""
PAUSE_S: Final = 0.5


@dataclass(frozen=True)
class Named:
    """An evaluation or a series that was answered, and the fields in which it deviates."""

    path: str
    deviations: tuple[str, ...]


class ProtocolClient:
    """A client that names one protocol until it is stopped, in evaluations and in series.

    Every second evaluation has another margin than planned; a series with one would be refused.

    Parameters
    ----------
    url : str
        Address of the API.
    seed : int
        Of the answers that are lost.
    """

    def __init__(self, url: str, seed: int) -> None:
        self._client, self._rng = Client(url), np.random.default_rng([seed, 3])
        self._protocol = self._client.create("/v1/protocols", {"margin": PLANNED_MARGIN})
        self._stopping = threading.Event()
        self.evaluations: list[Named] = []
        self._series: list[Named] = []
        self.lost_answers = 0
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._name_often, daemon=True)
        self._thread.start()

    @property
    def n_named(self) -> int:
        """Evaluations and series that were answered."""
        return len(self.evaluations) + len(self._series)

    def _name_often(self) -> None:
        try:
            while not self._stopping.is_set():
                if self.n_named % EVERY_SERIES == EVERY_SERIES - 1:
                    body: dict[str, Any] = {"models": ["new", "old"], "margin": PLANNED_MARGIN}
                    self._series.append(Named(self._send("/v1/series", body), ()))
                else:
                    is_planned = len(self.evaluations) % 2 == 0
                    path = self._send(
                        "/v1/evaluations", self._build_evaluation(is_planned=is_planned)
                    )
                    self.evaluations.append(Named(path, () if is_planned else ("margin",)))
                self._stopping.wait(PAUSE_S)
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            self._error = error

    def _build_evaluation(self, *, is_planned: bool) -> dict[str, Any]:
        losses = draw(f"p{len(self.evaluations)}").losses
        return {
            "kind": "losses",
            "blocks": "holdout",
            "losses": {name: each.tolist() for name, each in losses.items()},
            "margin": PLANNED_MARGIN if is_planned else OTHER_MARGIN,
            "seed": 1,
        }

    def _send(self, path: str, body: dict[str, Any]) -> str:
        """Send a request that names the protocol, at times after an answer that was lost."""
        key = str(uuid4())
        named = {**body, "protocol": self._protocol.rsplit("/", 1)[-1]}
        if self._rng.random() < LOST_SHARE:
            timeout = float(self._rng.uniform(*LOST_AFTER_S))
            try:
                self._client.post_once(path, named, key, timeout)
            except httpx.TransportError:
                self.lost_answers += 1
        return self._client.create(path, named, key)

    def stop(self) -> None:
        """Let the client end with its last request."""
        self._stopping.set()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def list_evaluations(self) -> list[UUID]:
        """Return the ids of the evaluations."""
        return [UUID(each.path.rsplit("/", 1)[-1]) for each in self.evaluations]

    def compare(self) -> dict[str, int]:
        """Return how many uses of the protocol are lost or doubled, and checks altered."""
        wrong = Counter({"uses lost": 0, "uses doubled": 0, "checks altered": 0})
        protocol = self._client.read_document(self._protocol)
        for field, all_named in (("evaluations", self.evaluations), ("series", self._series)):
            numbers: Counter[int] = Counter()
            for named in all_named:
                document = self._client.read_document(named.path)
                outcome = document.get("protocol")
                if outcome is None:
                    wrong["uses lost"] += 1
                    continue
                numbers[outcome["number"]] += 1
                deviations = tuple(each["field"] for each in outcome["deviations"])
                is_final = field == "series" or outcome["is_final"]
                wrong["checks altered"] += deviations != named.deviations or not is_final
            wrong["uses lost"] += max(0, len(all_named) - protocol[field])
            wrong["uses doubled"] += max(0, protocol[field] - len(all_named))
            wrong["uses doubled"] += numbers.total() - len(numbers)
        return dict(wrong)
