"""A small OpenID Connect provider on loopback, with tokens that are really signed.

It checks what a real one checks: the registered redirect address, the client's secret, that a code
is used once, and the secret of PKCE.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

CLIENT: Final = "thetahat"
SECRET: Final = "a secret: with+signs"
SHARED: Final = OctKey.import_key("a secret that is shared with everybody")


@dataclass(slots=True)
class IdentityProvider:
    """A running provider, what it says about the person, and the faults that a test plants."""

    issuer: str = ""
    redirect_url: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    """Claims of the ID token beside or in place of the usual ones; None leaves one out."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """The same for the published metadata."""
    keys: list[Any] = field(default_factory=lambda: [make_key("first")])
    """The published keys; the last one signs."""
    signing: Any = None
    """Signs in place of the published key."""
    algorithm: str = "ES256"
    id_token: str | None = None
    """Sent in place of a signed one."""
    is_down: bool = False
    requests: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    """Path and form of each request."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def authorize(self, url: str) -> str:
        """Log in as the person: take the address to which a browser was sent, return the next."""
        query = dict(parse_qsl(urlsplit(url).query))
        assert url.startswith(f"{self.issuer}/authorize?"), url
        assert query["client_id"] == CLIENT
        assert query["redirect_uri"] == self.redirect_url
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return f"{self.redirect_url}?{urlencode({'code': code, 'state': query['state']})}"

    def answer(self, path: str, form: Mapping[str, str], authorization: str) -> tuple[int, Any]:
        """Return status and body of an answer."""
        self.requests.append((path, form))
        if self.is_down:
            return 502, {"error": "down"}
        if path == "/.well-known/openid-configuration":
            return 200, self._merge(
                {
                    "issuer": self.issuer,
                    "authorization_endpoint": f"{self.issuer}/authorize",
                    "token_endpoint": f"{self.issuer}/token",
                    "jwks_uri": f"{self.issuer}/keys",
                },
                self.metadata,
            )
        if path == "/keys":
            return 200, {"keys": [key.as_dict(private=False) for key in self.keys]}
        if path == "/token":
            return self._answer_token(form, authorization)
        return 404, {}

    def _answer_token(self, form: Mapping[str, str], authorization: str) -> tuple[int, Any]:
        named = base64.b64decode(authorization.removeprefix("Basic ")).decode().split(":", 1)
        if [unquote(word) for word in named] not in ([CLIENT, SECRET], [CLIENT, unquote(SECRET)]):
            return 401, {"error": "invalid_client"}
        asked = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or challenge != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        token = self.id_token or self._sign(asked["nonce"])
        return 200, {"access_token": "access", "token_type": "Bearer", "id_token": token}

    def _sign(self, nonce: str) -> str:
        now = int(time.time())
        usual = {"iss": self.issuer, "aud": CLIENT, "sub": "7f3a", "nonce": nonce}
        claims = self._merge(usual | {"iat": now, "exp": now + 300}, self.claims)
        key = self.signing or self.keys[-1]
        header = {"alg": self.algorithm, "kid": key.kid}
        return jwt.encode(header, claims, key, algorithms=[self.algorithm])

    @staticmethod
    def _merge(usual: dict[str, Any], planted: Mapping[str, Any]) -> dict[str, Any]:
        merged = {**usual, **planted}
        return {name: value for name, value in merged.items() if value is not None}


def make_key(kid: str) -> ECKey:
    """Return a new key that signs by ES256."""
    return ECKey.generate_key("P-256", {"kid": kid})


def make_rsa_key(kid: str) -> RSAKey:
    """Return a new key that signs by RS256."""
    return RSAKey.generate_key(2048, {"kid": kid})


@contextmanager
def run_identity_provider(redirect_url: str) -> Iterator[IdentityProvider]:
    """Run a provider until the block ends."""
    provider = IdentityProvider(redirect_url=redirect_url)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            text = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            form = {name: values[-1] for name, values in parse_qs(text).items()}
            status, body = provider.answer(
                urlsplit(self.path).path, form, self.headers.get("authorization", "")
            )
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
