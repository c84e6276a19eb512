"""Loading, while a new process has nothing to do, what its first evaluation would wait for."""

from __future__ import annotations

import threading

from thetahat.kernels.warm import compile_all


def warm_up() -> None:
    """Begin to load in the background; work that comes earlier waits for the rest of it alone."""
    threading.Thread(target=_load, name="warm-up", daemon=True).start()


def _load() -> None:
    """Compile the loops, or take them from disk."""
    compile_all()
