"""Logging to standard error: one line for each event, as ``key=value`` or as JSON.

Names of learners, labels and file names come from clients. So every value is escaped, and the lines
of a trace are indented: no text of a client's can look like a line of the log.
"""

from __future__ import annotations

import json
import logging
import re
import time
from typing import Any, Final

from thetahat_service.process.request_context import CALLER, REQUEST_ID
from thetahat_service.settings import LogFormat, get_settings

LIBRARIES: Final = ("celery", "kombu", "amqp", "alembic", "httpx", "sqlalchemy")
"""Packages of which only warnings and errors are logged."""

_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_PLAIN: Final = re.compile(r"[^\s\"=\\\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_TRACE_INDENT: Final = "    "


class TextFormatter(logging.Formatter):
    """``time level logger event key=value ...``; the lines of a trace follow, indented."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of an event."""
        parts = [_format_utc(record), record.levelname, record.name, _escape(record.getMessage())]
        parts += [f"{key}={_quote(value)}" for key, value in _collect_fields(record).items()]
        lines = [" ".join(parts)]
        for trace in _format_traces(self, record):
            lines += [_TRACE_INDENT + _escape(line) for line in trace.splitlines()]
        return "\n".join(lines)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: ``time``, ``level``, ``logger``, ``event``, the fields, ``trace``."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the JSON of an event."""
        body: dict[str, Any] = {
            "time": _format_utc(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **_collect_fields(record),
        }
        if traces := _format_traces(self, record):
            body["trace"] = "\n".join(traces)
        return json.dumps(body, default=str)


def configure() -> None:
    """Send this process's log to standard error, in the format of the settings."""
    level = logging.getLevelNamesMapping()[get_settings().log_level.upper()]
    handler = logging.StreamHandler()
    is_json = get_settings().log_format is LogFormat.JSON
    handler.setFormatter(JsonFormatter() if is_json else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for library in LIBRARIES:
        logging.getLogger(library).setLevel(max(level, logging.WARNING))


def _collect_fields(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields given by ``extra``, and those of the HTTP request that is answered."""
    fields = {k: v for k, v in vars(record).items() if k not in _STANDARD and k[0] != "_"}
    if (request_id := REQUEST_ID.get()) is not None:
        fields.setdefault("request", request_id)
    if (caller := CALLER.get()) is not None:
        fields.setdefault("actor", caller.actor)
    return fields


def _format_traces(formatter: logging.Formatter, record: logging.LogRecord) -> list[str]:
    traces = []
    if record.exc_info:
        traces.append(formatter.formatException(record.exc_info))
    if record.stack_info:
        traces.append(formatter.formatStack(record.stack_info))
    return traces


def _format_utc(record: logging.LogRecord) -> str:
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    return f"{seconds}.{int(record.msecs):03d}Z"


def _quote(value: object) -> str:
    """Return a value unchanged if it is one word of visible characters, else as a JSON string."""
    text = str(value)
    if _PLAIN.fullmatch(text):
        return text
    return _escape(json.dumps(text, ensure_ascii=False))


def _escape(text: str) -> str:
    """Return a text on one line: control characters are written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
