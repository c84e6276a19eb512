"""Importing what requests of any kind may need, in a process that will get many of them.

The API and the workers do so when they start: a request must not wait for imports, and threads must
not import one module at a time.
"""

from __future__ import annotations

from collections import deque
from functools import cache

from thetahat.families import collect_methods
from thetahat_service.kinds.registry import JOB_KINDS


@cache
def import_kinds_and_methods() -> None:
    """Import every kind and every method, and build the types of all kinds' requests, once."""
    for kind in JOB_KINDS.values():
        kind.request.model_rebuild()
    for family in collect_methods():
        deque(family.values(), maxlen=0)
