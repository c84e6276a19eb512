from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.servers.receiver import Receiver, Reply, run_receiver
from thetahat_service.outbound.addresses import CheckedTarget
from thetahat_service.outbound.connections import RequestFailed, open_response

HOST = "hooks.example.test"


def make_certificate(folder: Path, host: str) -> Path:
    """Write a certificate of a host, signed by itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path


@pytest.fixture
def secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A server with a certificate of HOST, which this process trusts."""
    path = make_certificate(tmp_path, HOST)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    with run_receiver(context) as receiver:
        yield receiver


def target(receiver: Receiver, scheme: str, host: str = HOST, *addresses: str) -> CheckedTarget:
    where = addresses or ("127.0.0.1",)
    return CheckedTarget("", scheme, host, receiver.port, "/a?b=c", where)


def send(to: CheckedTarget, timeout_s: float = 10.0) -> tuple[int, bytes]:
    with open_response(
        to, method="POST", headers={"X-A": "b"}, content=b"body", timeout_s=timeout_s
    ) as response:
        return response.status_code, b"".join(response.iter_raw())


def test_exact_the_address_is_checked_and_the_name_is_that_of_the_url(secure: Receiver) -> None:
    assert send(target(secure, "https"))[0] == 204

    (received,) = secure.received
    assert secure.server_names == [HOST]
    assert received.headers["host"] == f"{HOST}:{secure.port}"
    assert (received.path, received.body, received.headers["x-a"]) == ("/a?b=c", b"body", "b")


def test_invalid_a_certificate_of_another_name(secure: Receiver) -> None:
    with pytest.raises(RequestFailed, match="certificate"):
        send(target(secure, "https", "other.example.test"))
    assert secure.received == []


def test_invalid_a_certificate_that_is_not_trusted(
    secure: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(RequestFailed, match="certificate"):
        send(target(secure, "https"))


def test_exact_a_redirect_is_an_answer() -> None:
    with run_receiver() as receiver, run_receiver() as other:
        receiver.replies.append(Reply(302, {"Location": f"http://127.0.0.1:{other.port}/"}))
        assert send(target(receiver, "http"))[0] == 302
        assert other.received == []


def test_exact_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with run_receiver() as receiver, run_receiver() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert send(target(receiver, "http"))[0] == 204
        assert proxy.received == []


def test_exact_the_next_address_is_tried() -> None:
    with run_receiver() as receiver:
        assert send(target(receiver, "http", HOST, "127.0.0.2", "127.0.0.1"))[0] == 204
        assert len(receiver.received) == 1


def test_degenerate_no_client_listens() -> None:
    with run_receiver() as receiver:
        to = target(receiver, "http")
    with pytest.raises(RequestFailed):
        send(to)


def test_degenerate_a_response_that_never_arrives() -> None:
    def silent() -> Iterator[bytes]:
        yield b"a"
        time.sleep(2)

    with run_receiver() as receiver:
        receiver.replies.append(Reply(200, body=silent))
        with pytest.raises(RequestFailed, match="in time"):
            send(target(receiver, "http"), 0.3)
