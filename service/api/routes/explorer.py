"""The page on which people read the OpenAPI document and try it: Swagger UI from this host alone.

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

from service.errors import ResourceNotFound

router = APIRouter(include_in_schema=False)

PACKAGE: Final = distribution("fastapi-swagger")
FOLDER: Final = Path(str(PACKAGE.locate_file("fastapi_swagger/resources")))
MEDIA_TYPES: Final = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}
# The page asks for files with their version, so another version is another address.
A_YEAR: Final = "public, max-age=31536000, immutable"

# With any validator, Swagger UI would tell its makers where the document is.
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
# Swagger UI draws its icons from data: addresses.
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
async def explore() -> Response:
    """Show every request that can be made, with a form to make it."""
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return HTMLResponse(PAGE, headers=headers)


@router.get("/docs/assets/{name}")
async def asset(name: str) -> Response:
    """Send one file of Swagger UI."""
    if name not in MEDIA_TYPES:
        raise ResourceNotFound(f"There is no asset {name[:80]!r}.")
    headers = {"Cache-Control": A_YEAR, "X-Content-Type-Options": "nosniff"}
    return FileResponse(FOLDER / name, media_type=MEDIA_TYPES[name], headers=headers)
