"""Keeps the password of a server's URL off the command line, where every user of the machine can read it."""

import os
import sys

from conformance.servers.server_url import PASSWORD, without_password


def hide_password() -> None:
    """Start this process again, without the password of a URL among its arguments; it is then in a variable.

    Only the same user can read the variables of a process. Without a password on the command line nothing is done.
    """
    arguments = [without_password(each) for each in sys.orig_argv]
    passwords = [password for _, password in arguments if password is not None]
    if not passwords:
        return
    os.environ[PASSWORD] = passwords[0]
    os.execv(sys.executable, [text for text, _ in arguments])
