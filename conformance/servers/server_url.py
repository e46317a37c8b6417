"""The URL of a running server: who connects to it, and what is allowed there. It never has a password."""

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import parse_qsl, unquote, urlsplit

if TYPE_CHECKING:
    from conformance.servers.guarded_session import GuardedSession

#: The variable with the password; the command line moves the password of a URL there.
PASSWORD: Final = "BINLOG_SERVER_PASSWORD"
#: How a URL begins.
SCHEME: Final = "mysql://"
_PORT: Final = 3306
#: Seconds that a server may take to answer.
_ANSWER: Final = 30
_FORM: Final = "write mysql://user:password@host:port"

#: What a URL can allow in ``allow=...`` -> what that means.
ALLOWANCES: Final = {
    "databases": "the server has databases of other clients",
    "replica": "the server is a replica of another one",
    "settings": "global settings are changed for a scenario, and set back at the end",
}
#: The password in a URL: all up to the last @, as a password may have one too.
_WITH_PASSWORD: Final = re.compile(
    r"(?P<before>\b(?:mysql|mariadb)://[^:@/?#]*):(?P<password>.*)@(?P<after>[^@]*)", re.DOTALL | re.IGNORECASE
)


def without_password(text: str) -> tuple[str, str | None]:
    """Return a text with a URL that may have a password as one without it, and the password, unquoted."""
    match = _WITH_PASSWORD.search(text)
    if match is None:
        return text, None
    return f"{text[: match.start()]}{match['before']}@{match['after']}", unquote(match["password"])


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """Where a running server is, and what may be done there.

    Attributes:
        user: The name of the user.
        host: The host's name or address.
        port: The port.
        allowed: The `ALLOWANCES` that it names.
    """

    user: str
    host: str
    port: int
    allowed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the URL that a text has.

        Raises:
            ValueError: The text is not a URL of a server, or has a password. The message repeats no part of it that
                could be a password.
        """
        if without_password(text)[1] is not None:
            raise ValueError(f"a password on a command line can be read by everybody: put it into {PASSWORD}")
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError as error:
            raise ValueError(f"the port of a server's URL is not a number from 1 to 65535: {_FORM}") from error
        if f"{parts.scheme}://" != SCHEME or not parts.hostname or not parts.username:
            raise ValueError(f"a server's URL needs a user and a host: {_FORM}")
        if parts.path not in ("", "/") or parts.fragment:
            raise ValueError(f"a server's URL has no path: {_FORM}, with %2F for a / in the password")
        return cls(unquote(parts.username), parts.hostname, port or _PORT, _allowed(parts.query))

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{SCHEME}{self.user}@{host}:{self.port}"

    def connect(self, **arguments: Any) -> "GuardedSession":
        """Return a new session, with a time limit on every answer.

        Args:
            **arguments: Further arguments for `pymysql.connect`.

        Raises:
            pymysql.err.MySQLError: The server cannot be reached, or refuses the user.
        """
        from conformance.servers.guarded_session import REFUSED, GuardedSession

        settings: dict[str, Any] = {
            "host": self.host,
            "port": self.port,
            "user": self.user,
            "password": os.environ.get(PASSWORD, ""),
            "charset": "utf8mb4",
            "autocommit": None,
            "connect_timeout": 10,
            "read_timeout": _ANSWER,
            "write_timeout": _ANSWER,
            "auth_plugin_map": REFUSED,
        }
        return GuardedSession(**{**settings, **arguments})


def _allowed(query: str) -> frozenset[str]:
    words: set[str] = set()
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name != "allow":
            raise ValueError(f"{name!r} is not an option of a server's URL: write ?allow={','.join(ALLOWANCES)}")
        words.update(value.split(","))
    unknown = sorted(words - ALLOWANCES.keys())
    if unknown:
        raise ValueError(f"{unknown[0]!r} cannot be allowed in a server's URL: write one of {', '.join(ALLOWANCES)}")
    return frozenset(words)
