"""An OpenID Connect provider: its addresses, its keys, and whom its tokens are about.

Authlib builds the requests and checks the claims of ID tokens; joserfc, on which it depends, checks
signatures.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlencode

import httpx
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from thetahat_service.identity.transport import CheckedTransport
from thetahat_service.outbound.addresses import RefusedAddress, check_url
from thetahat_service.settings import Settings, get_settings

ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "EdDSA",
)
"""Signatures with a private key alone: ``none`` and those with a shared secret are refused."""
CLOCK_SKEW_S: Final = 60
"""By how much the provider's clock may differ from ours."""
METADATA_VALID_S: Final = 3600.0
"""How long the provider's metadata are relied on."""
KEYS_PAUSE_S: Final = 5.0
"""Least time between two readings of the keys, however many tokens name an unknown one."""
FORM: Final = "application/x-www-form-urlencoded"
METADATA_PATH: Final = "/.well-known/openid-configuration"
ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class ProviderUnreachable(Exception):
    """The provider does not answer, or not with what the standard asks for."""


class LogInRefused(Exception):
    """A log-in that is not valid: why, as a sentence without secrets."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The values of one attempt to log in, which only the browser that began it can send again."""

    state: str
    nonce: str
    verifier: str
    """The secret of PKCE (RFC 7636)."""


class Provider:
    """The provider of the settings; what it publishes is kept for a while.

    Parameters
    ----------
    settings : Settings
        The issuer, and this service as its client.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._transport = CheckedTransport(settings.allowed_oidc_hosts)
        self._lock = threading.Lock()
        self._metadata: Mapping[str, Any] = {}
        self._metadata_until = float("-inf")
        self._keys: KeySet | None = None
        self._keys_read = float("-inf")

    def check(self) -> None:
        """Read the metadata, with the addresses in them; ``ProviderUnreachable``."""
        self._read_metadata()

    def build_authorization_url(self, attempt: Attempt) -> str:
        """Return where a browser is sent to log in; ``ProviderUnreachable``."""
        url, _ = self._make_client().create_authorization_url(
            self._read_metadata()["authorization_endpoint"],
            state=attempt.state,
            code_verifier=attempt.verifier,
            nonce=attempt.nonce,
        )
        return str(url)

    def identify(self, code: str, attempt: Attempt) -> Mapping[str, Any]:
        """Return the checked claims of the ID token that a code stands for.

        Raises ``LogInRefused`` if code or token are not valid, or ``ProviderUnreachable``.
        """
        token = self._fetch_token(code, attempt)
        id_token = token.get("id_token")
        if not isinstance(id_token, str):
            raise LogInRefused("The provider has sent no ID token.")
        return self._check(id_token, attempt.nonce, token.get("access_token"))

    def _fetch_token(self, code: str, attempt: Attempt) -> Mapping[str, Any]:
        url = self._read_metadata()["token_endpoint"]
        try:
            token: Mapping[str, Any] = self._make_client().fetch_token(
                url,
                headers={"Accept": "application/json", "Content-Type": FORM},
                grant_type="authorization_code",
                code=code,
                code_verifier=attempt.verifier,
            )
        except OAuth2Error as error:
            raise LogInRefused(
                f"The provider has refused the code ({error.error!r:.60})."
            ) from error
        except (httpx.HTTPError, ValueError) as error:
            raise _describe_unreachable(error) from error
        return token

    def _check(self, id_token: str, nonce: str, access_token: object) -> Mapping[str, Any]:
        """Return the claims of an ID token after all checks of OpenID Connect Core, 3.1.3.7."""
        settings = self._settings
        try:
            header = jws.extract_compact(id_token.encode()).headers()
            key = self._find_key(header.get("kid"))
            token = jwt.decode(id_token, key, algorithms=ALGORITHMS)
            claims = CodeIDToken(
                token.claims,
                token.header,
                {
                    "iss": {"essential": True, "value": settings.oidc_issuer},
                    "aud": {"essential": True, "value": settings.oidc_client_id},
                },
                {
                    "nonce": nonce,
                    "client_id": settings.oidc_client_id,
                    "access_token": access_token,
                },
            )
            claims.validate(leeway=CLOCK_SKEW_S)
        except (JoseError, ValueError) as error:
            reason = getattr(error, "description", None) or str(error) or type(error).__name__
            raise LogInRefused(f"The ID token is not valid ({reason[:100]}).") from error
        return dict(claims)

    def _find_key(self, kid: str | None) -> Any:
        """Return the key of an id; keys are read again for an unknown one (rotation)."""
        with self._lock:
            if self._keys is not None:
                try:
                    return self._keys.get_by_kid(kid)
                except JoseError:
                    if time.monotonic() - self._keys_read < KEYS_PAUSE_S:
                        raise
            document = self._get(self._read_metadata()["jwks_uri"])
            self._keys_read = time.monotonic()
            try:
                self._keys = KeySet.import_key_set({"keys": document["keys"]})
            except (JoseError, KeyError, TypeError, ValueError) as error:
                raise ProviderUnreachable("Its keys cannot be read.") from error
            return self._keys.get_by_kid(kid)

    def _read_metadata(self) -> Mapping[str, Any]:
        """Return the provider's metadata (OpenID Connect Discovery)."""
        now = time.monotonic()
        if now >= self._metadata_until:
            issuer = self._settings.oidc_issuer
            metadata = self._get(issuer.rstrip("/") + METADATA_PATH)
            if metadata.get("issuer") != issuer:
                raise ProviderUnreachable(
                    f"Its metadata are those of the issuer {metadata.get('issuer')!r:.100}, and "
                    f"THETAHAT_OIDC_ISSUER is {issuer!r}."
                )
            for name in ENDPOINTS:
                try:
                    check_url(str(metadata.get(name, "")), self._settings.allowed_oidc_hosts)
                except RefusedAddress as error:
                    raise ProviderUnreachable(f"Its {name} cannot be used: {error}") from None
            self._metadata, self._metadata_until = metadata, now + METADATA_VALID_S
        return self._metadata

    def _get(self, url: str) -> Mapping[str, Any]:
        """Return a JSON object of the provider."""
        try:
            with httpx.Client(transport=self._transport, trust_env=False) as client:
                response = client.get(url, headers={"Accept": "application/json"})
                response.raise_for_status()
                document = response.json()
        except (httpx.HTTPError, ValueError) as error:
            raise _describe_unreachable(error) from error
        if not isinstance(document, dict):
            raise ProviderUnreachable("Its answer is no JSON object.")
        return document

    def _make_client(self) -> OAuth2Client:
        settings = self._settings
        methods = self._read_metadata().get("token_endpoint_auth_methods_supported")
        posts = isinstance(methods, list) and "client_secret_basic" not in methods
        secret = settings.oidc_client_secret
        return OAuth2Client(
            _Session(self._transport),
            client_id=settings.oidc_client_id,
            client_secret=secret or None,
            token_endpoint_auth_method="client_secret_post" if secret and posts else None,
            scope=settings.oidc_scopes,
            redirect_uri=settings.oidc_redirect_url,
            code_challenge_method="S256",
        )


class _Session:
    """What Authlib sends the request for a token with.

    Its own classes for httpx take another package where that is installed.
    """

    def __init__(self, transport: CheckedTransport) -> None:
        self._transport = transport

    def post(
        self, url: str, data: Mapping[str, str], headers: dict[str, str], auth: ClientAuth
    ) -> httpx.Response:
        """Send a form with what identifies this service."""
        address, named, body = auth.prepare("POST", url, headers, urlencode(data))
        with httpx.Client(transport=self._transport, trust_env=False) as client:
            return client.post(address, headers=named, content=body)


@lru_cache(maxsize=1)
def _make_provider(settings: Settings) -> Provider:
    return Provider(settings)


def get_provider() -> Provider:
    """Return the provider of the settings, with what it has published already."""
    return _make_provider(get_settings())


def _describe_unreachable(error: Exception) -> ProviderUnreachable:
    if isinstance(error, httpx.HTTPStatusError):
        return ProviderUnreachable(f"It answers with the status {error.response.status_code}.")
    if isinstance(error, httpx.TransportError):
        return ProviderUnreachable(f"No answer: {str(error)[:200]}.")
    return ProviderUnreachable("Its answer cannot be read.")
