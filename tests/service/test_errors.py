"""The errors of the service."""

from __future__ import annotations

import errno
import os

from thetahat_service.errors import ServiceError, Unavailable


def test_exact_a_fault_of_the_store_has_the_systems_reason_without_its_path() -> None:
    cause = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/srv/private/folder")
    error = Unavailable.from_os_error("The file cannot be stored", cause)
    assert isinstance(error, ServiceError)
    assert error.message == "The file cannot be stored: No space left on device."
    assert error.retry_after == 5


def test_degenerate_a_fault_without_a_reason_has_its_class() -> None:
    assert Unavailable.from_os_error("The file cannot be read", OSError()).message == (
        "The file cannot be read: OSError."
    )
