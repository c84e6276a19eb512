from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thetahat_service.outbound.addresses import (
    RefusedAddress,
    check_url,
    is_public,
    parse_allowed_hosts,
    resolve_target,
)

SETTING = "THETAHAT_WEBHOOK_ALLOWED_HOSTS"
NONE = parse_allowed_hosts("", SETTING, only_listed=False)
PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
NOT_PUBLIC = {
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "unspecified": ["0.0.0.0", "::"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1"],
    "link-local and metadata": ["169.254.169.254", "fe80::1", "fd00:ec2::254"],
    "carrier-grade NAT": ["100.64.0.1", "100.127.255.254"],
    "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
    "broadcast and reserved": ["255.255.255.255", "240.0.0.1"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "benchmarks": ["198.18.0.1"],
    "IPv4 in IPv6": ["::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1"],
    "tunnels": ["2002:7f00:1::1", "2001::1", "192.88.99.1"],
    "NAT64 of private": ["64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1"],
    "site-local": ["fec0::1"],
}


@pytest.mark.parametrize("address", PUBLIC)
def test_exact_public_addresses(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("address", [address for group in NOT_PUBLIC.values() for address in group])
def test_exact_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@given(st.ip_addresses(v=4))
def test_property_an_address_inside_ipv6_is_judged_as_itself(address: IPv4Address) -> None:
    mapped = IPv6Address(f"::ffff:{address}")
    translated = IPv6Address(int(IPv6Address("64:ff9b::")) | int(address))

    assert is_public(mapped) == is_public(address) == is_public(translated)
    assert not is_public(IPv6Address(int(address)))


@given(st.ip_addresses(v=6))
def test_property_no_public_ipv6_address_is_outside_the_global_ranges(address: IPv6Address) -> None:
    if is_public(address):
        assert address.is_global
        assert address.exploded[0] in "23" or address.exploded.startswith(("0064:ff9b", "0000:"))


class Resolver:
    """Answers with these addresses in turn, and counts how often it was asked."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, _port: int) -> Sequence[str]:
        self.asked.append(host)
        return self._answers.pop(0)


def test_exact_a_name_is_resolved_once_and_its_addresses_are_kept() -> None:
    resolver = Resolver(["93.184.216.34", "2606:4700::1111"], ["127.0.0.1"])
    target = resolve_target("https://hooks.example.com/a/b?c=d", NONE, resolver)

    assert resolver.asked == ["hooks.example.com"]
    assert target.addresses == ("93.184.216.34", "2606:4700::1111")
    assert (target.host, target.port, target.path) == ("hooks.example.com", 443, "/a/b?c=d")


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "::ffff:127.0.0.1", "fe80::1%eth0"])
def test_invalid_a_name_with_any_address_that_is_not_public(address: str) -> None:
    with pytest.raises(RefusedAddress, match="not public"):
        resolve_target("https://x.example", NONE, Resolver(["93.184.216.34", address]))


def test_invalid_a_name_without_address() -> None:
    with pytest.raises(RefusedAddress, match="no address"):
        resolve_target("https://x.example", NONE, Resolver([]))


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost"])
def test_invalid_other_spellings_of_loopback(host: str) -> None:
    with pytest.raises(RefusedAddress):
        resolve_target(f"https://{host}/", NONE)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://example.com", "https://"),
        ("ftp://example.com", "https://"),
        ("example.com", "https://"),
        ("https://", "https://"),
        ("https:///path", "https://"),
        ("https://user:secret@example.com", "user name"),
        ("https://user@example.com", "user name"),
        ("https://example.com#part", "fragment"),
        ("https://example.com:8443/", "port 8443"),
        ("https://example.com:99999/", "cannot be read"),
        ("https://example.com:0/", "port 0"),
        ("https://127.0.0.1/", "not public"),
        ("https://[::1]/", "not public"),
        ("https://[::ffff:10.0.0.1]/", "not public"),
        ("https://[fe80::1%25eth0]/", "not valid"),
        ("https://[::1/", "cannot be read"),
        ("https://exa mple.com/", "printable"),
        ("https://example.com/\r\nX: y", "printable"),
        ("https://ex\u00e4mple.com/", "ASCII"),
        ("https://example.com\\@127.0.0.1/", "user name"),
        ("https://example.com/\\x", "not valid"),
        ("https://" + "a" * 2000, "2000"),
    ],
)
def test_invalid_urls(url: str, words: str) -> None:
    with pytest.raises(RefusedAddress, match=words):
        check_url(url, NONE)


def test_exact_listed_hosts_and_networks() -> None:
    allowed = parse_allowed_hosts(
        "hooks.internal, http://plain.internal:8080, 10.0.0.0/8, fd00::/8",
        SETTING,
        only_listed=False,
    )
    private = Resolver(*[["10.1.2.3"]] * 4)

    for url in (
        "https://hooks.internal/x",
        "http://plain.internal:8080/x",
        "https://other.example/",
        "https://other.example:8443/",
    ):
        assert resolve_target(url, allowed, private).addresses == ("10.1.2.3",)
    for url in (
        "http://hooks.internal/x",
        "http://plain.internal/x",
        "http://other.example/x",
    ):
        with pytest.raises(RefusedAddress):
            resolve_target(url, allowed, Resolver(["10.1.2.3"]))
    with pytest.raises(RefusedAddress, match=r"192\.168\.0\.1"):
        resolve_target("https://other.example/", allowed, Resolver(["192.168.0.1"]))
    with pytest.raises(RefusedAddress, match="8443"):
        resolve_target("https://other.example:8443/", allowed, Resolver(["93.184.216.34"]))


def test_exact_only_listed_hosts() -> None:
    allowed = parse_allowed_hosts("data.example.com", "THETAHAT_IMPORT_HOSTS", only_listed=True)

    assert check_url("https://data.example.com/a.csv", allowed).hostname == "data.example.com"
    for url in (
        "https://example.com/",
        "http://data.example.com/",
        "https://data.example.com:444/",
    ):
        with pytest.raises(RefusedAddress, match="THETAHAT_IMPORT_HOSTS"):
            check_url(url, allowed)


@pytest.mark.parametrize("text", ["ftp://x", "http://", "a b/", "10.0.0.1/8", "x:y", "https://a/b"])
def test_invalid_entries_of_the_setting(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of urllib and ipaddress too
        parse_allowed_hosts(text, SETTING, only_listed=False)


def test_exact_the_address_of_an_only_listed_host_is_checked_too() -> None:
    hosts, network = "data.example.com, http://data.example.com:81", "10.0.0.0/8"
    strict = parse_allowed_hosts(hosts, SETTING, only_listed=True)
    inside = parse_allowed_hosts(f"{hosts}, {network}", SETTING, only_listed=True)
    for url in ("https://data.example.com/a.csv", "http://data.example.com:81/a.csv"):
        assert resolve_target(url, inside, Resolver(["10.1.1.1"])).addresses == ("10.1.1.1",)
        assert resolve_target(url, strict, Resolver(["8.8.8.8"])).addresses == ("8.8.8.8",)
        with pytest.raises(RefusedAddress, match="not public"):
            resolve_target(url, strict, Resolver(["10.1.1.1"]))
    with pytest.raises(RefusedAddress, match="listed"):
        resolve_target("https://other.example.com/", inside, Resolver(["10.1.1.1"]))
