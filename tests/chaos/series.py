"""A series to which two clients add batches under faults: no batch is counted twice or lost."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import Final

import httpx
import numpy as np

from tests.chaos.jobs import Client
from tests.service.series.batches import draw

CLIENTS: Final = 2
LOST_SHARE: Final = 0.2
"""Share of the batches whose first answer the client does not wait for."""
LOST_AFTER_S: Final = (0.002, 0.05)
"""After how long it hangs up: before the batch is stored, or after."""
PAUSE_S: Final = 0.05
"""Longest pause of a client between two batches: one of them is nearly always being added."""


@dataclass(frozen=True)
class Added:
    """A batch that was answered: its key, and the number of its look."""

    key: str
    number: int


class SeriesClients:
    """Clients that add to one series until they are stopped.

    Each sends a batch until it is answered.

    Parameters
    ----------
    url : str
        Address of the API.
    seed : int
        Of the answers that are lost.
    pause_s : float
        Longest pause of a client between two batches.
    """

    def __init__(self, url: str, seed: int, pause_s: float = PAUSE_S) -> None:
        self._client, self._pause_s = Client(url), pause_s
        self._path = self._client.create("/v1/series", {"models": ["new", "old"]})
        self._stopping = threading.Event()
        self._added: list[Added] = []
        self.lost_answers = 0
        self._errors: list[BaseException] = []
        self._threads = [
            threading.Thread(target=self._add_all, args=(url, number, seed), daemon=True)
            for number in range(CLIENTS)
        ]
        for thread in self._threads:
            thread.start()

    def _add_all(self, url: str, number: int, seed: int) -> None:
        client, rng, count = Client(url), np.random.default_rng([seed, 2, number]), 0
        try:
            while not self._stopping.is_set():
                key = f"c{number}-{count}"
                losses = {name: each.tolist() for name, each in draw(key).losses.items()}
                if rng.random() < LOST_SHARE:
                    self.lost_answers += self._hang_up(client, key, losses, rng)
                self._added.append(Added(key, client.add_batch(self._path, key, losses)))
                count += 1
                time.sleep(rng.uniform(0.0, self._pause_s))
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            self._errors.append(error)

    def _hang_up(
        self, client: Client, key: str, losses: dict[str, list[float]], rng: np.random.Generator
    ) -> bool:
        """Send a batch and hang up; return whether there was no answer until then."""
        timeout = float(rng.uniform(*LOST_AFTER_S))
        try:
            client.post_once(f"{self._path}/batches", {"losses": losses}, key, timeout)
        except httpx.TransportError:
            return True
        return False

    def stop(self) -> None:
        """Let the clients end with their last batch."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()
        if self._errors:
            raise self._errors[0]

    @property
    def n_batches(self) -> int:
        """Batches that were answered."""
        return len(self._added)

    def compare(self) -> dict[str, int]:
        """Return how many batches are lost, doubled, or not in the sums as they were sent."""
        document = self._client.read_document(self._path)
        numbers = Counter(added.number for added in self._added)
        stored = self._client.list_look_numbers(self._path)
        values = [
            draw(added.key).losses["new"] - draw(added.key).losses["old"] for added in self._added
        ]
        expected = float(np.concatenate(values).mean())
        n_rows = sum(map(len, values))
        is_altered = document["rows"] != n_rows or not np.isclose(
            document["latest"]["estimate"], expected, rtol=1e-9
        )
        return {
            "batches lost": len(numbers.keys() - stored),
            "batches doubled": (numbers.total() - len(numbers))
            + max(0, document["batches"] - len(self._added)),
            "batches altered": int(is_altered),
        }
