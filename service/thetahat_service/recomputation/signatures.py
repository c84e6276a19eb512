"""Signed statements: DSSE envelopes with an Ed25519 signature.

Sources: the protocol and the envelope of DSSE 1.0 (secure-systems-lab); RFC 8032 for Ed25519, by
the package ``cryptography``.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from thetahat.errors import InvalidParameter
from thetahat_service.recomputation.statements import PAYLOAD_TYPE

HOW_TO_MAKE: Final = "Make one with: openssl genpkey -algorithm ed25519 -out FILE"


@dataclass(frozen=True, slots=True)
class Envelope:
    """A statement with its signatures, not yet checked."""

    payload: bytes
    """The statement."""
    signatures: tuple[tuple[str, bytes], ...]
    """Each with the id of its key."""


def read_private_key(file: Path) -> Ed25519PrivateKey:
    """Return the key of a PEM file; ``InvalidParameter`` if it is no private key of Ed25519."""
    try:
        key = load_pem_private_key(file.read_bytes(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise InvalidParameter(
            f"{str(file)!r} is not a private key of Ed25519 in PEM, without a password. "
            f"{HOW_TO_MAKE}",
            loc=("signing_key",),
        )
    return key


def read_public_key(file: Path) -> Ed25519PublicKey:
    """Return the key of a PEM file; ``InvalidParameter`` if it is no public key of Ed25519."""
    try:
        key = load_pem_public_key(file.read_bytes())
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise InvalidParameter(
            f"{str(file)!r} is not a public key of Ed25519 in PEM. Write the one of a private key "
            "with: openssl pkey -in KEY -pubout -out FILE",
            loc=("public_key",),
        )
    return key


def compute_key_id(key: Ed25519PublicKey) -> str:
    """Return the SHA-256 of a public key as DER."""
    content = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(content).hexdigest()


def sign(statement: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return a statement in an envelope with its signature; the same key gives the same bytes."""
    signature = key.sign(_encode_signed(PAYLOAD_TYPE, statement))
    envelope = {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(statement).decode(),
        "signatures": [
            {
                "keyid": compute_key_id(key.public_key()),
                "sig": base64.b64encode(signature).decode(),
            }
        ],
    }
    return orjson.dumps(envelope, option=orjson.OPT_INDENT_2)


def parse_envelope(content: bytes) -> Envelope:
    """Return an envelope; ``ValueError`` with the reason if it is none."""
    try:
        value = orjson.loads(content)
        if value["payloadType"] != PAYLOAD_TYPE:
            raise ValueError(f"its payloadType is not {PAYLOAD_TYPE}")
        return Envelope(
            base64.b64decode(value["payload"], validate=True),
            tuple(
                (str(each.get("keyid", "")), base64.b64decode(each["sig"], validate=True))
                for each in value["signatures"]
            ),
        )
    except (orjson.JSONDecodeError, binascii.Error, KeyError, TypeError, AttributeError):
        raise ValueError("it is not a DSSE envelope") from None


def is_signed_by(envelope: Envelope, key: Ed25519PublicKey) -> bool:
    """Return whether one of the signatures is right for the statement and the key."""
    signed = _encode_signed(PAYLOAD_TYPE, envelope.payload)
    for _, signature in envelope.signatures:
        try:
            key.verify(signature, signed)
        except InvalidSignature:
            continue
        return True
    return False


def _encode_signed(payload_type: str, payload: bytes) -> bytes:
    """Return what is signed: DSSE's pre-authentication encoding."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
