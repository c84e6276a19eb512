"""Which hosts and addresses the service may connect to.

Whoever may name a URL could otherwise make the service send requests to machines that only it can
reach (server-side request forgery): its own ports, the metadata service of a cloud, a database. So
an address must be public, unless the operator has listed the host or the network.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a host, for a port."""

DEFAULT_PORTS: Final = {"https": 443, "http": 80}
GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
NAT64: Final = IPv6Network("64:ff9b::/96")
TUNNELS: Final = (IPv6Network("2001::/32"), IPv6Network("2002::/16"))
"""Teredo and 6to4: addresses that lead through a tunnel to an IPv4 address inside them."""
NOT_HOSTS: Final[tuple[Network, ...]] = (
    IPv6Network("3fff::/20"),  # reserved for documentation since 2024; Python does not know it yet
    IPv4Network("192.88.99.0/24"),  # relays of 6to4, abolished in 2015
)
MAX_URL_LENGTH: Final = 2000


class RefusedAddress(ValueError):
    """A URL that the service does not connect to, with the reason as a sentence."""


class ListedHost(NamedTuple):
    """A host of a setting; None for the scheme or the port means https or the scheme's own."""

    name: str
    scheme: str = "https"
    port: int | None = None

    def allows(self, scheme: str, host: str, port: int) -> bool:
        """Return whether a URL with these parts is one of this host."""
        own_port = DEFAULT_PORTS[self.scheme] if self.port is None else self.port
        return (scheme, host, port) == (self.scheme, self.name, own_port)


class AllowedHosts(NamedTuple):
    """The hosts and networks of a setting, in addition to public addresses or instead of them."""

    hosts: tuple[ListedHost, ...]
    """Hosts whose addresses are not checked, unless ``only_listed``."""
    networks: tuple[Network, ...]
    """Networks whose addresses count as public."""
    only_listed: bool
    """Whether all other hosts are refused."""
    setting: str
    """Name of the setting, for refusals."""


class CheckedTarget(NamedTuple):
    """A URL that was checked: the addresses to connect to, and the name of the host."""

    url: str
    """The URL."""
    scheme: str
    host: str
    """Its scheme and host name."""
    port: int
    """Its port."""
    path: str
    """Its path and query."""
    addresses: tuple[str, ...]
    """The checked addresses of the host."""


def parse_allowed_hosts(text: str, setting: str, *, only_listed: bool) -> AllowedHosts:
    """Return the hosts and networks of a setting; ``ValueError`` if an entry cannot be read."""
    hosts: list[ListedHost] = []
    networks: list[Network] = []
    for entry in filter(None, (part.strip() for part in text.split(","))):
        if "/" in entry and "://" not in entry:
            networks.append(ip_network(entry))
        else:
            hosts.append(_parse_host(entry))
    return AllowedHosts(tuple(hosts), tuple(networks), only_listed, setting)


def _parse_host(entry: str) -> ListedHost:
    """Return the host of an entry of a setting; ``ValueError`` if it is none."""
    parts = urlsplit(entry if "://" in entry else f"https://{entry}")
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.path or parts.username:
        raise ValueError(
            f"has the entry {entry!r}; write a host, a host with a port, http:// before either, or "
            "a network such as 10.0.0.0/8"
        )
    return ListedHost(parts.hostname, parts.scheme, parts.port)


def is_public(address: Address) -> bool:
    """Return whether an address is one of the public internet.

    IPv4 addresses inside IPv6 ones count as themselves; addresses of tunnels are refused.
    """
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address not in GLOBAL_UNICAST or any(address in tunnel for tunnel in TUNNELS):
            return False
    if any(address in network for network in NOT_HOSTS):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _split(url: str) -> SplitResult:
    """Return the parts of a URL with a host; ``RefusedAddress`` if it is not one to connect to."""
    if len(url) > MAX_URL_LENGTH or not url.isascii() or not url.isprintable() or " " in url:
        raise RefusedAddress(
            f"The URL must be at most {MAX_URL_LENGTH} printable ASCII characters without spaces."
        )
    try:
        parts = urlsplit(url)
        has_port = parts.port is not None
    except ValueError:
        raise RefusedAddress(f"The URL {url!r} cannot be read.") from None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise RefusedAddress(f"The URL must begin with https:// and have a host, not {url[:80]!r}.")
    if parts.username is not None or parts.password is not None:
        raise RefusedAddress("The URL must not have a user name or a password.")
    if parts.fragment:
        raise RefusedAddress("The URL must not have a fragment (#).")
    if "%" in parts.hostname or "\\" in url:
        raise RefusedAddress(f"The host {parts.hostname!r} is not valid.")
    if has_port and parts.port == 0:
        raise RefusedAddress("The URL must not have the port 0.")
    return parts


def check_url(url: str, allowed: AllowedHosts) -> SplitResult:
    """Return the parts of a URL; ``RefusedAddress`` if no address of its host could be used.

    This looks at the text alone, and resolves no name.
    """
    parts = _split(url)
    host = parts.hostname or ""
    number = DEFAULT_PORTS[parts.scheme] if parts.port is None else parts.port
    if any(listed.allows(parts.scheme, host, number) for listed in allowed.hosts):
        return parts
    if allowed.only_listed:
        raise RefusedAddress(
            f"The host {host!r} with {parts.scheme} and port {number} is not one that "
            f"the operator of the service has listed ({allowed.setting})."
        )
    if parts.scheme != "https":
        raise RefusedAddress("The URL must begin with https://.")
    if number != DEFAULT_PORTS["https"] and not allowed.networks:
        raise RefusedAddress(
            f"The port {number} is not allowed; use 443, or ask the operator to list the host "
            f"({allowed.setting})."
        )
    try:
        literal = ip_address(host)
    except ValueError:
        return parts
    _check_address(literal, host, allowed)
    return parts


def resolve_target(
    url: str, allowed: AllowedHosts, resolve: Resolve | None = None
) -> CheckedTarget:
    """Return where to connect for a URL, with each address checked; raise ``RefusedAddress``.

    The name is resolved once. The caller connects to one of these addresses and not to the name,
    which may have other addresses a moment later (DNS rebinding).
    """
    parts = check_url(url, allowed)
    host = parts.hostname or ""
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    addresses = tuple(dict.fromkeys((resolve or _resolve)(host, port)))
    if not addresses:
        raise RefusedAddress(f"The host {host!r} has no address.")
    is_listed = any(listed.allows(parts.scheme, host, port) for listed in allowed.hosts)
    if not is_listed or allowed.only_listed:
        for address in addresses:
            checked_port = DEFAULT_PORTS["https"] if is_listed else port
            _check_address(ip_address(address.partition("%")[0]), host, allowed, checked_port)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return CheckedTarget(url, parts.scheme, host, port, path, addresses)


def _check_address(
    address: Address, host: str, allowed: AllowedHosts, port: int = DEFAULT_PORTS["https"]
) -> None:
    """Raise ``RefusedAddress`` unless an address may be connected to."""
    if any(address in network for network in allowed.networks):
        return
    if not is_public(address):
        raise RefusedAddress(
            f"The host {host!r} has the address {address}, which is not public. The operator of "
            f"the service can allow the network of this address ({allowed.setting})."
        )
    if port != DEFAULT_PORTS["https"]:
        raise RefusedAddress(
            f"The URL has port {port}, and only port 443 is open to everybody. The operator of the "
            f"service can allow the host {host!r} with this port ({allowed.setting})."
        )


def _resolve(host: str, port: int) -> list[str]:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [str(entry[4][0]) for entry in entries]
