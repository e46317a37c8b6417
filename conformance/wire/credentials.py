"""Passwords: what a client answers to a source's challenge, in the two ways of servers since 4.1 and since 8.0."""

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from itertools import cycle
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

#: The ways to authenticate, by the names of their plug-ins.
NATIVE: Final = "mysql_native_password"
SHA2: Final = "caching_sha2_password"


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def _native(password: bytes, challenge: bytes) -> bytes:
    once = hashlib.sha1(password, usedforsecurity=False).digest()
    twice = hashlib.sha1(once, usedforsecurity=False).digest()
    return _xor(once, hashlib.sha1(challenge + twice, usedforsecurity=False).digest())


def _sha2(password: bytes, challenge: bytes) -> bytes:
    once = hashlib.sha256(password).digest()
    twice = hashlib.sha256(once).digest()
    return _xor(once, hashlib.sha256(twice + challenge).digest())


_ANSWERS: Final[Mapping[str, Callable[[bytes, bytes], bytes]]] = {NATIVE: _native, SHA2: _sha2}
#: The names of the plug-ins.
PLUGINS: Final = tuple(_ANSWERS)


def password_answer(plugin: str, password: str, challenge: bytes) -> bytes:
    """Return what a client answers to a challenge; nothing if its password is empty.

    Args:
        plugin: One of `PLUGINS`.
        password: The password.
        challenge: The 20 bytes of the source.
    """
    return _ANSWERS[plugin](password.encode(), challenge) if password else b""


class PasswordKey:
    """A key pair: clients encrypt their passwords with the public one where the connection is not encrypted.

    Attributes:
        pem: The public key, as a source sends it.
    """

    #: Bits of a key, as servers make them.
    BITS: Final = 2048

    def __init__(self) -> None:
        from cryptography.hazmat.primitives.asymmetric import rsa
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        self._private: RSAPrivateKey = rsa.generate_private_key(public_exponent=65537, key_size=self.BITS)
        self.pem: bytes = self._private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def password(self, encrypted: bytes, challenge: bytes) -> bytes | None:
        """Return a client's password with its terminator; None if it was not encrypted with this key.

        Args:
            encrypted: What the client sends: the password, mixed with the challenge before it was encrypted.
            challenge: The 20 bytes of the source.
        """
        from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
        from cryptography.hazmat.primitives.hashes import SHA1

        try:
            mixed = self._private.decrypt(encrypted, OAEP(MGF1(SHA1()), SHA1(), None))
        except ValueError:
            return None
        return bytes(a ^ b for a, b in zip(mixed, cycle(challenge), strict=False))


@cache
def password_key() -> PasswordKey:
    """Return the key of this process, which is made when the first client asks for it."""
    return PasswordKey()
