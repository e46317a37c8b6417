"""Passwords: what a client answers to a source's challenge, in the two ways of servers since 4.1 and since 8.0."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

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
