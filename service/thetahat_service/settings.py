"""Settings, from the environment alone, each with a default."""

from __future__ import annotations

import hashlib
import math
import os
import tempfile
from difflib import get_close_matches
from enum import StrEnum
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails

from thetahat_service.outbound.addresses import (
    AllowedHosts,
    RefusedAddress,
    check_url,
    parse_allowed_hosts,
)
from thetahat_service.process.memory import find_usable_memory_bytes
from thetahat_service.process.request_context import Scope

MEBIBYTE = 1024 * 1024
DAY_S = 24 * 3600
MOST_MEMORY_MB, LEAST_MEMORY_MB = 8192, 512
LONGEST_SOCKET = 100  # bytes; 103 on macOS, 107 on Linux
PREFIX = "THETAHAT_"
LEAST_SIMILARITY = 0.82
"""Share of letters in common from which a name is a misspelt setting.

Swapped and missing letters, singulars for plurals and ``DB_URL`` leave 0.83 or more in common. The
variables of the client, of Compose and of Kubernetes (``THETAHAT_SERVICE_HOST``) have 0.81 or less
in common with the name of any setting.
"""

LONGEST_ISSUER = 200
OIDC_CALLBACK_PATH = "/log-in/provider/callback"
BROKER_SCHEMES = ("redis", "rediss", "redis+socket")
NOT_COMPUTED = "default_factory_not_called"  # a default that follows from an invalid setting
BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}


class LogLevel(StrEnum):
    """Severities of log lines."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """Forms of a log line."""

    TEXT = "text"
    JSON = "json"


class InvalidSettings(ValueError):
    """Settings that cannot be used, with one sentence for each."""


class Settings(BaseModel):
    """``THETAHAT_<FIELD>`` in the environment; see ``docs/settings.md``."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    host: str = Field("127.0.0.1", description="Address the API listens on.")
    port: int = Field(8000, ge=0, le=65535, description="Port the API listens on.")
    trusted_proxies: str = Field(
        "127.0.0.1",
        description="Addresses or networks of the proxies whose X-Forwarded-Proto and "
        "X-Forwarded-For are believed, with commas between.",
    )
    data_dir: Path = Field(
        default_factory=lambda: Path.home() / ".thetahat",
        description="Folder of the embedded database, broker and files.",
    )
    database_url: str = Field("", description="SQLAlchemy URL; empty means SQLite in data_dir.")
    broker_url: str = Field("", description="Celery broker; empty means the embedded one.")
    files_url: str = Field(
        "", description="File store: file:///folder or s3://bucket/prefix; empty: in data_dir."
    )
    cache_mb: int = Field(
        10_240, ge=64, description="Most local copies of an s3:// store's files, in data_dir."
    )
    workers: int = Field(
        default_factory=lambda: min(os.cpu_count() or 1, 8),
        ge=1,
        le=1024,
        description="Worker processes that serve starts.",
    )

    max_json_bytes: int = Field(8 * MEBIBYTE, ge=1024, description="Largest JSON body.")
    max_batch: int = Field(100, ge=1, description="Most evaluations submitted by one request.")
    max_upload_bytes: int = Field(2048 * MEBIBYTE, ge=1024, description="Largest uploaded file.")
    max_cells: int = Field(200_000_000, ge=1, description="Most rows x columns of a data set.")
    max_columns: int = Field(50_000, ge=1, description="Most columns of a data set.")
    max_cell_bytes: int = Field(MEBIBYTE, ge=1, description="Most bytes of a text in a data set.")
    max_expansion: int = Field(
        1000, ge=1, description="Most times its own size that an uploaded file may unpack to."
    )
    parsers: int = Field(4, ge=1, description="Uploaded files that are parsed at the same time.")
    parser_memory_mb: int = Field(
        768, ge=64, description="Most memory of the process that parses an uploaded file."
    )
    parser_time_limit_s: int = Field(
        600, ge=1, description="Most seconds for parsing an uploaded file; small files get fewer."
    )
    max_models: int = Field(200, ge=1, description="Most models or learners of an evaluation.")
    max_work_s: float = Field(
        3600.0, gt=0, description="Longest estimated processor time of the fits of an evaluation."
    )
    max_unfinished: int = Field(1000, ge=1, description="Most unfinished evaluations per owner.")
    rate_per_s: float = Field(
        1000.0, ge=0, description="Most requests per second and owner; 0: any number."
    )
    max_stored_bytes: int = Field(
        0, ge=0, description="Most bytes of data sets per owner; 0: any number."
    )
    max_uploads: int = Field(64, ge=1, description="Most simultaneous uploads per owner.")
    max_downloads: int = Field(
        64, ge=1, description="Most simultaneous downloads of losses per owner."
    )
    max_wait_s: float = Field(60.0, ge=0, description="Longest Prefer: wait and ?wait=.")

    time_limit_s: float = Field(3600.0, gt=0, description="Longest run of one unit of work.")
    job_time_limit_s: float = Field(
        0.0, ge=0, description="Most computing seconds of an evaluation, all units; 0: any number."
    )
    memory_limit_mb: int = Field(
        default_factory=lambda values: _compute_memory_share(values["workers"]),
        ge=256,
        description="Most memory of one worker process.",
    )
    lease_s: float = Field(30.0, gt=0, description="How long a claim lasts without a heartbeat.")
    sweep_s: float = Field(1.0, gt=0, description="Pause between sweeps for lost work.")
    max_attempts: int = Field(
        3, ge=1, description="Attempts at a unit whose worker was lost or met an internal error."
    )
    max_outage_s: float = Field(
        600.0,
        ge=0,
        description="How long work waits for a file store or database that does not work.",
    )
    chunk_s: float = Field(
        2.0, gt=0, description="Length of a chunk above which the rest is queued as a new one."
    )

    webhook_allowed_hosts: str = Field(
        "",
        description="Hosts (host, host:port, http://host:port) and networks that webhooks may "
        "reach beside public ones, with commas between.",
    )
    webhook_pauses_s: str = Field(
        "5,300,1800,7200,18000,36000,50400,72000,86400",
        description="Seconds between attempts at a delivery to a webhook, with commas between.",
    )
    webhook_timeout_s: float = Field(
        15.0,
        gt=0,
        le=60,
        description="Longest attempt at a delivery to a webhook, with its whole answer.",
    )
    max_webhooks: int = Field(20, ge=0, description="Most webhooks per owner.")

    max_series: int = Field(1000, ge=0, description="Most series per owner.")
    max_series_batches: int = Field(1_000_000, ge=1, description="Most batches of a series.")

    max_protocols: int = Field(1000, ge=0, description="Most protocols per owner.")

    import_hosts: str = Field(
        "",
        description="Hosts (host, host:port, http://host:port) from which data sets may be "
        "imported, and networks of their private addresses, with commas between; empty: none.",
    )
    import_timeout_s: float = Field(
        120.0, gt=0, le=3600, description="Longest time for receiving an imported data set."
    )

    session_hours: float = Field(
        12.0, gt=0, le=24 * 365, description="How long a browser stays logged in to the pages."
    )

    oidc_client_id: str = Field("", description="Id of this service at the log-in provider.")
    oidc_client_secret: str = Field(
        "", description="Its secret there; empty: a public client, with PKCE alone."
    )
    oidc_redirect_url: str = Field(
        "",
        description="Address of /log-in/provider/callback for browsers, as it is registered at the "
        "log-in provider.",
    )
    oidc_scopes: str = Field("openid", description="Scopes to ask the log-in provider for.")
    oidc_owner_claim: str = Field(
        "sub", description="Claim whose value says which owner a person is, such as sub or team."
    )
    oidc_role_claim: str = Field(
        "", description="Claim with a person's roles, such as groups or realm_access.roles."
    )
    oidc_roles: str = Field(
        "", description="Scope of each role (ROLE=read, submit or admin), with commas between."
    )
    oidc_default_scope: str = Field(
        "", description="read or submit: scope of persons without such a role; empty: no access."
    )
    oidc_allowed_hosts: str = Field(
        "",
        description="Hosts (host, host:port, http://host:port) and networks where the log-in "
        "provider may be beside public ones, with commas between.",
    )
    oidc_issuer: str = Field(
        "",
        description="Issuer of an OpenID Connect provider at which persons log in to the pages; "
        "empty: with keys alone.",
    )

    keep_results_days: int = Field(
        0,
        ge=0,
        description="Days when an evaluation that ended, or a closed series, is deleted; 0: never.",
    )
    keep_datasets_days: int = Field(
        0, ge=0, description="Days when a data set is deleted that no evaluation names; 0: never."
    )
    keep_deliveries_days: int = Field(
        30, ge=0, description="Days after which ended deliveries to webhooks are deleted; 0: never."
    )
    keep_audit_days: int = Field(
        0, ge=0, description="Days after which entries of the audit log are deleted; 0: never."
    )

    signing_key: str = Field(
        "",
        description="File with the private key (Ed25519, PEM) that signs bundles; empty: they are "
        "not signed.",
    )

    log_level: LogLevel = Field(LogLevel.INFO, description="Least severity of what is logged.")
    log_format: LogFormat = Field(
        LogFormat.TEXT, description="text: key=value on a line; json: an object on a line."
    )
    access_log: bool = Field(default=False, description="Log every HTTP request.")

    learner_packages: str = Field(
        "", description="Installed packages whose learners may be named, with commas between."
    )

    @field_validator("broker_url")
    @classmethod
    def _check_broker_scheme(cls, url: str) -> str:
        if url and url.partition("://")[0] not in BROKER_SCHEMES:
            raise ValueError(f"must begin with {' or '.join(f'{s}://' for s in BROKER_SCHEMES)}")
        return url

    @field_validator("webhook_allowed_hosts", "import_hosts", "oidc_allowed_hosts")
    @classmethod
    def _check_hosts(cls, text: str) -> str:
        parse_allowed_hosts(text, "", only_listed=False)
        return text

    @field_validator("webhook_pauses_s")
    @classmethod
    def _check_pauses(cls, text: str) -> str:
        pauses = _parse_numbers(text)
        if not all(0 <= pause <= DAY_S for pause in pauses):
            raise ValueError(f"must have numbers of seconds from 0 to {DAY_S} with commas between")
        return text

    @field_validator("oidc_roles")
    @classmethod
    def _check_roles(cls, text: str) -> str:
        _parse_roles(text)
        return text

    @field_validator("oidc_default_scope")
    @classmethod
    def _check_default_scope(cls, scope: str) -> str:
        if scope not in {"", Scope.READ, Scope.SUBMIT}:
            raise ValueError("must be read, submit or empty")
        return scope

    @field_validator("oidc_scopes")
    @classmethod
    def _check_oidc_scopes(cls, scopes: str) -> str:
        if "openid" not in scopes.split():
            raise ValueError("must have openid")
        return scopes

    @field_validator("oidc_issuer")
    @classmethod
    def _check_issuer(cls, issuer: str, info: ValidationInfo) -> str:
        """Refuse an issuer with whom nobody could log in; the other settings are checked before."""
        if not issuer:
            return issuer
        if len(issuer) > LONGEST_ISSUER or "?" in issuer:
            message = f"must be an address without a query, of at most {LONGEST_ISSUER} characters"
            raise ValueError(message)
        others = info.data
        hosts = parse_allowed_hosts(
            others.get("oidc_allowed_hosts", ""), "THETAHAT_OIDC_ALLOWED_HOSTS", only_listed=False
        )
        try:
            check_url(issuer, hosts)
        except RefusedAddress as error:
            raise ValueError(f"cannot be used: {error} The setting") from None
        for name in ("oidc_client_id", "oidc_redirect_url"):
            if not others.get(name):
                raise ValueError(f"needs {PREFIX}{name.upper()}")
        parts = urlsplit(others["oidc_redirect_url"])
        if parts.scheme not in {"http", "https"} or parts.path != OIDC_CALLBACK_PATH:
            message = f"needs a THETAHAT_OIDC_REDIRECT_URL that ends with {OIDC_CALLBACK_PATH}"
            raise ValueError(message)
        has_roles = others.get("oidc_role_claim") and others.get("oidc_roles")
        if not has_roles and not others.get("oidc_default_scope"):
            raise ValueError(
                "needs THETAHAT_OIDC_ROLE_CLAIM with THETAHAT_OIDC_ROLES, or "
                "THETAHAT_OIDC_DEFAULT_SCOPE: otherwise nobody may enter"
            )
        return issuer

    @field_validator("files_url")
    @classmethod
    def _check_files_url(cls, url: str) -> str:
        parts = urlsplit(url)
        is_folder = parts.scheme == "file" and parts.netloc in {"", "localhost"}
        is_bucket = parts.scheme == "s3" and parts.netloc != ""
        if url and not (is_folder or is_bucket):
            raise ValueError("must have the form file:///a/folder or s3://bucket/prefix")
        if is_bucket and find_spec("obstore") is None:
            raise ValueError("needs the package obstore (pip install 'thetahat[s3]')")
        return url

    @field_validator("signing_key")
    @classmethod
    def _check_signing_key(cls, file: str) -> str:
        if file and find_spec("cryptography") is None:
            raise ValueError("needs the package cryptography (pip install 'thetahat[signing]')")
        if file and not Path(file).is_file():
            raise ValueError("must be a file")
        return file

    @property
    def allowed_packages(self) -> frozenset[str]:
        """The packages whose learners may be named."""
        return frozenset(name.strip() for name in self.learner_packages.split(",") if name.strip())

    @property
    def webhook_hosts(self) -> AllowedHosts:
        """The hosts that webhooks may reach."""
        return parse_allowed_hosts(
            self.webhook_allowed_hosts, "THETAHAT_WEBHOOK_ALLOWED_HOSTS", only_listed=False
        )

    @property
    def allowed_import_hosts(self) -> AllowedHosts:
        """The hosts from which data sets may be imported."""
        return parse_allowed_hosts(self.import_hosts, "THETAHAT_IMPORT_HOSTS", only_listed=True)

    @property
    def allowed_oidc_hosts(self) -> AllowedHosts:
        """The hosts where the log-in provider may be."""
        return parse_allowed_hosts(
            self.oidc_allowed_hosts, "THETAHAT_OIDC_ALLOWED_HOSTS", only_listed=False
        )

    @property
    def oidc_role_scopes(self) -> dict[str, Scope]:
        """The scope of each role of the log-in provider."""
        return _parse_roles(self.oidc_roles)

    @property
    def webhook_pauses(self) -> tuple[float, ...]:
        """The pauses between attempts at a delivery; after the last attempt it is dead."""
        return _parse_numbers(self.webhook_pauses_s)

    @property
    def has_retention(self) -> bool:
        """Whether anything is deleted after some time."""
        return any((self.keep_results_days, self.keep_datasets_days, self.keep_audit_days))

    @property
    def resolved_database_url(self) -> str:
        """The URL of the database: the setting, or SQLite in the data folder."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / 'thetahat.sqlite3'}"

    @property
    def resolved_files_url(self) -> str:
        """The URL of the file store: the setting, or a folder in the data folder."""
        return self.files_url or (self.data_dir.resolve() / "files").as_uri()

    @property
    def resolved_broker_url(self) -> str:
        """The URL of the broker: the setting, or the socket of the embedded broker."""
        return self.broker_url or f"redis+socket://{self.broker_socket}"

    @property
    def broker_socket(self) -> Path:
        """The embedded broker's socket, in the data folder.

        Systems limit the length of a socket's path. If the data folder's path is too long, the
        socket is in a folder of the same user in the system's temporary folder.
        """
        socket = self.data_dir.resolve() / "run" / "broker.sock"
        if len(os.fsencode(socket)) <= LONGEST_SOCKET:
            return socket
        digest = hashlib.sha256(os.fsencode(self.data_dir.resolve())).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"thetahat-{os.getuid()}-{digest}" / "broker.sock"


def _parse_roles(text: str) -> dict[str, Scope]:
    """Return the scope of each role; ``ValueError`` if an entry cannot be read."""
    scopes: dict[str, Scope] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        role, equals, scope = (part.strip() for part in entry.rpartition("="))
        if not role or not equals or scope not in {Scope.READ, Scope.SUBMIT, Scope.ADMIN}:
            raise ValueError(f"has the entry {entry!r}; write ROLE=read, ROLE=submit or ROLE=admin")
        if role in scopes:
            raise ValueError(f"has the role {role!r} twice")
        scopes[role] = Scope(scope)
    return scopes


def _parse_numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of a text; NaN for what is none."""
    numbers = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        try:
            numbers.append(float(part))
        except ValueError:
            numbers.append(math.nan)
    return tuple(numbers)


def _compute_memory_share(workers: int) -> int:
    """Return a worker's share of the memory in MiB, between 512 MiB and 8 GiB."""
    total = find_usable_memory_bytes()
    if total is None:
        return MOST_MEMORY_MB
    return max(LEAST_MEMORY_MB, min(MOST_MEMORY_MB, total // MEBIBYTE // workers))


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """Return the settings of this process, read once; raise ``InvalidSettings``."""
    _refuse_misspelt_names()
    try:
        return Settings.model_validate(_read_environment())
    except ValidationError as error:
        faults = [fault for fault in error.errors() if fault["type"] != NOT_COMPUTED]
        raise InvalidSettings(" ".join(map(_describe_error, faults))) from None


def _read_environment() -> dict[str, str]:
    """Return the values of the environment by setting; small letters are as good as capitals."""
    variables = {name.lower(): value for name, value in os.environ.items()}
    names = ((name, f"{PREFIX}{name}".lower()) for name in Settings.model_fields)
    return {name: variables[variable] for name, variable in names if variable in variables}


def _refuse_misspelt_names() -> None:
    """Raise ``InvalidSettings`` for a variable whose name is nearly that of a setting.

    Names that are like none pass: other programs and later releases have variables of their own.
    """
    known = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
    for name in sorted(os.environ):
        if not name.startswith(PREFIX) or name in known:
            continue
        if near := get_close_matches(name, known, n=1, cutoff=LEAST_SIMILARITY):
            raise InvalidSettings(f"{name} is not a setting. Did you mean {near[0]}?")


def _describe_error(error: ErrorDetails) -> str:
    """Return a sentence about one setting that cannot be used."""
    variable = f"{PREFIX}{str(error['loc'][0]).upper()}"
    if error["type"] == "value_error":
        rule = str(error["ctx"]["error"])
    elif error["type"] in {"int_parsing", "int_from_float"}:
        rule = "must be a whole number"
    elif error["type"] in {"float_parsing", "finite_number"}:
        rule = "must be a number"
    elif error["type"] in BOUNDS:
        bound, words = BOUNDS[error["type"]]
        rule = f"must be {words} {error['ctx'][bound]}"
    elif error["type"] == "enum":
        rule = f"must be {error['ctx']['expected']}"
    elif error["type"] == "bool_parsing":
        rule = "must be true or false"
    else:
        rule = f"cannot be used ({error['msg']})"
    return f"{variable} {rule}, but is {error['input']!r}."


def is_sqlite() -> bool:
    """Return whether the database is SQLite, a file on this machine."""
    url = get_settings().database_url
    return not url or url.startswith("sqlite")
