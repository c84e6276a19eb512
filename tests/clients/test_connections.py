"""What happens between the client and the network: time-outs, proxies, certificates, encodings."""

from __future__ import annotations

import gzip
import io
import json
import socket
import ssl
import sys
import threading
import time
import zlib
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.raw_server import format_answer, read_head, run_raw_server
from tests.clients.scripted_server import DATASET, EVALUATION, Reply, problem, run_stub
from tests.service.outbound.test_connections import make_certificate
from tests.service.supervisor.https_proxy import https_proxy, write_certificate
from thetahat_client import Client, ConnectionFailed
from thetahat_client.errors import InvalidAddress, UnexpectedAnswer
from thetahat_client.events import Event

Opener = type[Client]
FOUND = Reply(200, DATASET)
HOST = "service.example.test"  # no name server knows it


def open_once(open_client: Opener, url: str, key: str | None = None, timeout: float = 30) -> Client:
    return open_client(url, key, retries=0, timeout=timeout)


# Proxies of the environment


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for scheme in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{scheme}_proxy", raising=False)
        monkeypatch.delenv(f"{scheme.upper()}_PROXY", raising=False)
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_exact_the_proxy_of_the_environment_is_used(
    open_client: Opener, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with run_stub(FOUND) as stub:
        proxy = stub.url.replace("http://", "http://us%40er:pass@")
        monkeypatch.setenv(name, proxy)
        with open_once(open_client, f"http://{HOST}:81/prefix", "key") as client:
            assert client.dataset("x").rows == 1

    (sent,) = stub.requests
    assert sent.headers["host"] == f"{HOST}:81"
    assert sent.path == "/prefix/v1/datasets/x"
    assert sent.headers["authorization"] == "Bearer key"
    login = b64encode(b"us@er:pass").decode()
    assert sent.headers["proxy-authorization"] == f"Basic {login}"


@pytest.mark.parametrize(
    "excluded", [HOST, "other.test,.example.test", "example.test", f"{HOST}:81", "*"]
)
def test_exact_hosts_without_proxy_are_reached_directly(
    open_client: Opener, monkeypatch: pytest.MonkeyPatch, excluded: str
) -> None:
    with run_stub(FOUND) as stub:
        monkeypatch.setenv("HTTP_PROXY", stub.url)
        monkeypatch.setenv("NO_PROXY", excluded)
        with (
            open_once(open_client, f"http://{HOST}:81") as client,
            pytest.raises(ConnectionFailed, match=r"does not answer \(\[Errno"),
        ):
            client.dataset("x")

    assert stub.requests == []


def test_exact_an_address_of_ipv6_may_be_without_proxy(
    open_client: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    with run_stub(FOUND) as stub:
        monkeypatch.setenv("HTTP_PROXY", stub.url)
        with open_once(open_client, "http://[2001:db8::1]:81", timeout=0.5) as client:
            client.dataset("x")
        monkeypatch.setenv("NO_PROXY", "2001:db8::1")
        with (
            open_once(open_client, "http://[2001:db8::1]:81", timeout=0.5) as client,
            pytest.raises(ConnectionFailed),
        ):
            client.dataset("x")

    assert [request.headers["host"] for request in stub.requests] == ["[2001:db8::1]:81"]


def test_exact_tls_goes_through_the_proxy_with_the_certificate_of_the_service(
    open_client: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = make_certificate(tmp_path, HOST)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    heads = []

    def talk(connection: socket.socket) -> None:
        heads.append(read_head(connection))
        connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        with context.wrap_socket(connection, server_side=True) as secure:
            heads.append(read_head(secure))
            secure.sendall(format_answer(DATASET))

    with run_raw_server(talk) as url:
        monkeypatch.setenv("HTTPS_PROXY", url.replace("http://", "http://user:pass@"))
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        with open_once(open_client, f"https://{HOST}", "key") as client:
            assert client.dataset("x").rows == 1

    connect, request = heads
    assert connect.startswith(f"CONNECT {HOST}:443 HTTP/1.")
    assert "proxy-authorization: basic " in connect.lower()
    assert "Bearer key" not in connect
    assert request.startswith("GET /v1/datasets/x HTTP/1.1\r\n")
    assert "Bearer key" in request
    assert "proxy-authorization" not in request.lower()


def test_invalid_proxies_are_named(open_client: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free.getsockname()[1]}")
    with (
        open_once(open_client, f"http://{HOST}") as client,
        pytest.raises(ConnectionFailed, match=r"does not answer \(proxy: \[Errno"),
    ):
        client.dataset("x")

    for proxy in ("socks5://127.0.0.1:1080", "http://127.0.0.1:port", "http://[::1"):
        monkeypatch.setenv("HTTP_PROXY", proxy)
        with pytest.raises(InvalidAddress, match="NO_PROXY"):
            open_client(f"http://{HOST}")


# Certificates


def test_exact_a_certificate_must_be_one_of_those_that_are_trusted(
    open_client: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = write_certificate(tmp_path)
    with (
        run_stub(FOUND) as stub,
        https_proxy(stub.server.server_port, "127.0.0.1", certificate) as url,
    ):
        with (
            open_once(open_client, url) as client,
            pytest.raises(ConnectionFailed, match="certificate verify failed"),
        ):
            client.dataset("x")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with open_once(open_client, url) as client:
            assert client.dataset("x").rows == 1
        other_name = url.replace("127.0.0.1", "localhost")
        with (
            open_once(open_client, other_name) as client,
            pytest.raises(ConnectionFailed, match="certificate verify failed: Hostname mismatch"),
        ):
            client.dataset("x")

    assert len(stub.requests) == 1


def test_invalid_files_of_certificates_are_named(
    open_client: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))

    with pytest.raises(FileNotFoundError, match=r"There is no file .*none\.pem.*SSL_CERT_FILE"):
        open_client("https://127.0.0.1")
    open_client("http://127.0.0.1")  # needs no certificates


# Addresses and headers


@pytest.mark.parametrize(
    "url",
    ["http://[::1", "http://127.0.0.1:port", "http://127.0.0.1:99999", "http://a b", "http://.a"],
)
def test_invalid_addresses_are_refused_at_once(open_client: Opener, url: str) -> None:
    with pytest.raises(InvalidAddress, match="The address of the service is not valid"):
        open_client(url)


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "localhost:8000", "http://", "service"])
def test_invalid_addresses_lack_http_or_a_host(open_client: Opener, url: str) -> None:
    with (
        open_client(url) as client,
        pytest.raises(ConnectionFailed, match=r"does not begin with http://.*; 1 attempt"),
    ):
        client.dataset("x")


def test_exact_name_and_password_of_the_address_are_sent(open_client: Opener) -> None:
    with run_stub(FOUND) as stub:
        url = stub.url.replace("http://", "http://me:p%3Aw@")
        with open_once(open_client, url) as client:
            client.dataset("x")

    assert stub.requests[0].headers["authorization"] == f"Basic {b64encode(b'me:p:w').decode()}"
    assert "@" not in stub.requests[0].headers["host"]


def test_exact_an_international_host_is_written_in_ascii(
    open_client: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "idna", None)  # which the client does not require
    with run_stub(FOUND) as stub:
        monkeypatch.setenv("HTTP_PROXY", stub.url)
        with open_once(open_client, "http://bücher.example.test") as client:
            client.dataset("x")

    assert stub.requests[0].headers["host"] == "xn--bcher-kva.example.test"


@pytest.mark.parametrize("key", ["th_secret\n", "th_secret\r\nX-Other: 1", "th_schlüssel"])
def test_invalid_keys_are_not_sent_nor_shown(open_client: Opener, key: str) -> None:
    with (
        run_stub(FOUND) as stub,
        open_client(stub.url, key) as client,
        pytest.raises(ConnectionFailed, match=r"header Authorization .*; 1 attempt") as failed,
    ):
        client.dataset("x")

    assert stub.requests == []
    assert "th_s" not in str(failed.value)


def test_exact_a_redirect_is_not_followed(open_client: Opener) -> None:
    with run_stub(FOUND) as other:
        moved = Reply(307, None, {"Location": other.url})
        with (
            run_stub(moved) as stub,
            open_client(stub.url, "key") as client,
            pytest.raises(UnexpectedAnswer, match="answered 307"),
        ):
            client.dataset("x")

    assert len(stub.requests) == 1
    assert other.requests == []


# Bodies


@pytest.mark.parametrize(
    ("encoding", "compress"), [("gzip", gzip.compress), ("deflate", zlib.compress)]
)
def test_exact_compressed_answers_are_unpacked(
    open_client: Opener, encoding: str, compress: Callable[[bytes], bytes]
) -> None:
    body = compress(json.dumps(DATASET).encode())
    with (
        run_stub(Reply(200, body, {"Content-Encoding": encoding})) as stub,
        open_once(open_client, stub.url) as client,
    ):
        assert client.dataset("x").rows == 1

    assert encoding in stub.requests[0].headers["accept-encoding"]


def test_invalid_compressed_answers_are_no_answers(open_client: Opener) -> None:
    with (
        run_stub(Reply(200, b"{}", {"Content-Encoding": "gzip"})) as stub,
        open_once(open_client, stub.url) as client,
        pytest.raises(ConnectionFailed, match="header"),
    ):
        client.dataset("x")


def test_exact_an_answer_that_is_cut_off_is_asked_for_again(open_client: Opener) -> None:
    answers = [format_answer(DATASET, length=100_000), format_answer(DATASET)]

    def talk(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(answers.pop(0))

    with run_raw_server(talk) as url, open_client(url, sleep=lambda _: None) as client:
        assert client.dataset("x").rows == 1

    assert answers == []


def test_exact_a_refusal_that_comes_before_the_end_of_an_upload_is_read(
    open_client: Opener,
) -> None:
    refusal = b'{"type": "/problems/too_large", "detail": "The file is too large."}'

    def talk(connection: socket.socket) -> None:
        read_head(connection)
        connection.recv(1000)
        connection.sendall(
            b"HTTP/1.1 413 Too Large\r\nContent-Type: application/problem+json\r\n"
            b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(refusal), refusal)
        )
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1_000_000):
            pass

    with (
        run_raw_server(talk) as url,
        open_once(open_client, url) as client,
        pytest.raises(Exception, match=r"The file is too large\."),
    ):
        client.upload(io.BytesIO(bytes(4_000_000)), media_type="text/csv")


class Unreadable(io.BytesIO):
    """A file of which the disk returns only the first part."""

    def read(self, size: int | None = -1) -> bytes:  # noqa: ARG002 - the name of the parameter
        if self.tell():
            message = "the disk is broken"
            raise BrokenPipeError(message)
        return super().read(10)


def test_exact_a_file_that_cannot_be_read_is_no_fault_of_the_service(open_client: Opener) -> None:
    with (
        run_raw_server(read_to_end) as url,
        open_once(open_client, url, timeout=60) as client,
        pytest.raises(BrokenPipeError, match="the disk is broken"),
    ):
        client.upload(Unreadable(bytes(100)), media_type="text/csv")


def read_to_end(connection: socket.socket) -> None:
    while connection.recv(100_000):
        pass


# Time


def test_exact_a_service_that_hangs_is_given_up(open_client: Opener) -> None:
    begun = time.monotonic()
    with (
        run_raw_server(read_to_end) as url,
        open_once(open_client, url, timeout=0.3) as client,
        pytest.raises(ConnectionFailed, match=r"does not answer \(timed out; 1 attempt\)"),
    ):
        client.dataset("x")

    assert 0.3 <= time.monotonic() - begun < 60


def test_exact_a_slow_service_may_take_its_time_for_a_large_request(
    open_client: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time-out is for each part, and not that of connecting; all parts together take longer."""
    monkeypatch.setattr("thetahat_client.connections.LONGEST_CONNECT_S", 0.1)

    def talk(connection: socket.socket) -> None:
        head = read_head(connection)
        left = int(head.lower().partition("content-length: ")[2].split()[0])
        begun = time.monotonic()
        time.sleep(0.4)
        while left:
            piece = connection.recv(min(left, 200_000))
            if not piece:
                return  # the client has given up
            left -= len(piece)
            time.sleep(0.006)
        taken.append(time.monotonic() - begun)
        connection.sendall(format_answer(EVALUATION))

    taken: list[float] = []
    text = "x" * 50_000_000  # of one letter: it is not compressed
    with (
        run_raw_server(talk, receive_buffer=200_000) as url,
        open_once(open_client, url, timeout=1.5) as client,
    ):
        assert client.submit({"kind": "losses", "name": text}).kind == "losses"

    assert taken[0] > 1.6


def test_exact_a_connection_is_used_again_unless_the_service_has_closed_it(
    open_client: Opener,
) -> None:
    connections = []
    closed = threading.Event()

    def talk(connection: socket.socket) -> None:
        connections.append(connection)
        for _ in range(2):
            read_head(connection)
            connection.sendall(format_answer(DATASET))
        connection.close()
        closed.set()

    with run_raw_server(talk) as url, open_once(open_client, url) as client:
        client.dataset("x")
        client.dataset("x")
        assert len(connections) == 1
        assert closed.wait(10)
        client.dataset("x")
        client.dataset("x")

    assert len(connections) == 2


# Streams


def format_chunk(text: str) -> bytes:
    return b"%x\r\n%b\r\n" % (len(text), text.encode())


def test_exact_an_event_arrives_before_the_stream_ends(open_client: Opener) -> None:
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    received = threading.Event()

    def talk(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(head + format_chunk('event: queued\ndata: {"a": "') + format_chunk("b"))
        connection.sendall(format_chunk('c"}\r\nid: 1\r\n\r\n'))
        assert received.wait(10)
        connection.sendall(format_chunk("event: failed\ndata: {}\nid: 2\n\n") + format_chunk(""))

    with run_raw_server(talk) as url, open_once(open_client, url) as client:
        events = client.events("x")
        assert next(events) == Event("queued", 1, {"a": "bc"})
        received.set()
        assert [event.type for event in events] == ["failed"]


def test_exact_a_refused_stream_is_a_refusal(open_client: Opener) -> None:
    early = problem(429, "too_many_streams", "Too many streams.")
    with (
        run_stub(early) as stub,
        open_once(open_client, stub.url) as client,
        pytest.raises(Exception, match="Too many streams"),
    ):
        next(client.events("x"))
