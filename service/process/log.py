"""Logging: an event's name, then its fields, on one line of standard error."""

from __future__ import annotations

import logging
from typing import Final

_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class EventFormatter(logging.Formatter):
    """``time level logger event key=value ...``; the trace of an error follows on its own lines."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self.default_msec_format = "%s.%03d"

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """Append the fields given by ``extra``."""
        fields = {k: v for k, v in vars(record).items() if k not in _STANDARD and k[0] != "_"}
        text = super().formatMessage(record)
        return " ".join([text, *(f"{key}={value}" for key, value in fields.items())])


def configure(level: int = logging.INFO) -> None:
    """Send the process's log to standard error; what libraries say only from warnings on."""
    handler = logging.StreamHandler()
    handler.setFormatter(EventFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for library in ("celery", "kombu", "amqp", "alembic", "httpx", "sqlalchemy"):
        logging.getLogger(library).setLevel(max(level, logging.WARNING))
