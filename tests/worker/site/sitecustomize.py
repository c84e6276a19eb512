"""Changes the processes that a test starts: the sleeping kind, and nothing loaded in advance.

The sleeping kind is put beside the real ones. With ``THETAHAT_TESTS_LOAD_NOTHING`` set, a process
does not load what only learners, compiled loops and slow requests need: half of the processor time
of a service that runs for ten seconds and computes naps. If it is ``learners``, these are loaded
once, before the worker processes are forked, and not by each of them when it fits one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


def _add_sleeping_kind(registry: Any) -> None:
    from tests.worker.sleeping_kind import KIND

    registry.JOB_KINDS[KIND.name] = KIND


def _load_nothing(preload: Any) -> None:
    learners = preload.import_learners() if LOADED == "learners" else ()
    preload.every_loop = preload.import_kinds = preload.import_learners = lambda: iter(())
    preload._evaluate_losses = lambda: list(learners)


def _load_no_slow_modules(preload: Any) -> None:
    preload.load_slow_modules = lambda: None


LOADED = os.environ.get("THETAHAT_TESTS_LOAD_NOTHING")
CHANGES: Mapping[str, Callable[[Any], None]] = {
    "thetahat_service.kinds.registry": _add_sleeping_kind
}
if LOADED:
    CHANGES = {
        **CHANGES,
        "thetahat_worker.preload": _load_nothing,
        "thetahat_service.api.preload": _load_no_slow_modules,
    }


class _LoadThenChange(Loader):
    def __init__(self, loader: Loader, change: Callable[[Any], None]) -> None:
        self._loader = loader
        self._change = change

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._change(module)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in CHANGES:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _LoadThenChange(spec.loader, CHANGES[fullname])
        return spec


sys.meta_path.insert(0, _Finder())
