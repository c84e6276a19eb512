"""A package of learners as an installer leaves it, in a folder of a test."""

from __future__ import annotations

from pathlib import Path

SOURCE = '''
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo


def info(name):
    return MethodInfo(name=name, title=name.title(), summary="Of a test.")


@dataclass(frozen=True)
class Constant:
    """One value."""

    info: ClassVar[MethodInfo] = info("constant")
    tasks: ClassVar[frozenset[str]] = frozenset({"regression"})
    takes_weights: ClassVar[bool] = False
    value: float = 0.0

    def fit(self, features, y, *, weights, rng, n_classes):
        return self

    def predict(self, features):
        return Predictions(np.full(features.n, self.value))


@dataclass(frozen=True)
class Hungry(Constant):
    """Takes a gigabyte, and more, and holds it."""

    info: ClassVar[MethodInfo] = info("hungry")

    def fit(self, features, y, *, weights, rng, n_classes):
        held = []
        while len(held) < 64:
            held.append(np.ones(2**24))
        return self


@dataclass(frozen=True)
class Endless(Constant):
    """Never comes to an end."""

    info: ClassVar[MethodInfo] = info("endless")

    def fit(self, features, y, *, weights, rng, n_classes):
        while True:
            time.sleep(0.01)


@dataclass(frozen=True)
class Deaf(Constant):
    """Never comes to an end either: it waits in C code, which hears no signal, for a lock."""

    info: ClassVar[MethodInfo] = info("deaf")

    def fit(self, features, y, *, weights, rng, n_classes):
        import ctypes

        library, lock = ctypes.CDLL(None), ctypes.create_string_buffer(256)
        library.pthread_mutex_init(lock, None)
        library.pthread_mutex_lock(lock)
        library.pthread_mutex_lock(lock)
        return self


class Sulking(Exception):
    """An error of the package's own."""


@dataclass(frozen=True)
class Sulky(Constant):
    """Raises."""

    info: ClassVar[MethodInfo] = info("sulky")

    def fit(self, features, y, *, weights, rng, n_classes):
        raise Sulking("not today")


@dataclass(frozen=True)
class Fatal(Constant):
    """Takes its process along."""

    info: ClassVar[MethodInfo] = info("fatal")

    def fit(self, features, y, *, weights, rng, n_classes):
        import os

        os.abort()


@dataclass(frozen=True)
class Threads(Constant):
    """Predicts how many threads it would have."""

    info: ClassVar[MethodInfo] = info("threads")

    def fit(self, features, y, *, weights, rng, n_classes):
        return self

    def predict(self, features):
        from joblib import effective_n_jobs
        from threadpoolctl import threadpool_info

        np.ones((50, 50)) @ np.ones((50, 50))
        pools = [pool["num_threads"] for pool in threadpool_info()]
        return Predictions(np.full(features.n, 100.0 * effective_n_jobs(-1) + max(pools)))


class NoLearner:
    """Nothing that could be fitted."""


@dataclass(frozen=True)
class Unfinished:
    """A name, and no more."""

    info: ClassVar[MethodInfo] = info("unfinished")
'''
LEARNERS = ("constant", "hungry", "endless", "deaf", "sulky", "fatal", "threads")
ENTRIES = {name: name.title() for name in LEARNERS}


def install(
    folder: Path,
    package: str = "Extra_Learners",
    entries: dict[str, str] | None = None,
    version: str = "1.2",
) -> None:
    """Write a package with its metadata, so that whoever has the folder on its path has it."""
    module = f"{package.lower()}_learners"
    (folder / f"{module}.py").write_text(SOURCE)
    metadata = folder / f"{package}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
    )
    lines = [f"{name} = {module}:{of}" for name, of in (entries or ENTRIES).items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[thetahat.learners]", *lines, ""]))
