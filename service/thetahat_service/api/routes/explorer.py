"""The page that shows the OpenAPI document, with Swagger UI served from this host.

The files come from an installed package, of which nothing is imported.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from importlib.metadata import distribution
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse, HTMLResponse

from thetahat_service.errors import ResourceNotFound

router = APIRouter(include_in_schema=False)

PACKAGE: Final = distribution("fastapi-swagger")
FOLDER: Final = Path(str(PACKAGE.locate_file("fastapi_swagger/resources")))
MEDIA_TYPES: Final = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}
# The page requests files with their version, so another version has another URL.
A_YEAR: Final = "public, max-age=31536000, immutable"

# With a validator, Swagger UI would send the URL of the document to another host.
START: Final = """
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
});
"""
PAGE: Final = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>thetahat: the HTTP interface</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png?v={PACKAGE.version}">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css?v={PACKAGE.version}">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript; <a href="/openapi.json">the document</a> does not.</noscript>
<script src="/docs/assets/swagger-ui-bundle.js?v={PACKAGE.version}"></script>
<script>{START}</script>
</body>
</html>
"""
_START_HASH: Final = b64encode(hashlib.sha256(START.encode()).digest()).decode()
# Swagger UI loads its icons from data: URLs.
POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        f"script-src 'self' 'sha256-{_START_HASH}'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)


@router.get("/docs")
async def show_docs() -> Response:
    """Return the page, which has a form for every request."""
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return HTMLResponse(PAGE, headers=headers)


@router.get("/docs/assets/{name}")
async def get_asset(name: str) -> Response:
    """Return one file of Swagger UI."""
    if name not in MEDIA_TYPES:
        raise ResourceNotFound(f"There is no file {name[:80]!r}.")
    headers = {"Cache-Control": A_YEAR, "X-Content-Type-Options": "nosniff"}
    return FileResponse(FOLDER / name, media_type=MEDIA_TYPES[name], headers=headers)
