"""An unpacked server as an implementation: it is started on a socket of its own, in a folder that is removed."""

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from conformance.implementations.process.process_implementation import CannotStart
from conformance.implementations.server.server_implementation import ServerImplementation, declared
from conformance.implementations.server.unpacked_roles import ROLES, AnsweringRole
from conformance.protocol.observation import Declaration, Observation, Request
from conformance.servers.products import SERVERS, VARIABLE, Product
from conformance.servers.real_server import ServerFailed, initialise
from conformance.specs.suggestion import unknown

#: The script that unpacks servers.
PROVISION: Final = Path(__file__).parents[2] / "servers" / "provision.sh"

#: Product -> what it is called, the same for all versions, so that their results are of one implementation.
NAMES: Final = {"mysql": "MySQL server", "mariadb": "MariaDB server"}
HOMEPAGES: Final = {"mysql": "https://dev.mysql.com", "mariadb": "https://mariadb.org"}


class UnpackedServerImplementation(ServerImplementation):
    """An unpacked server. Each role has a server of its own, with the role's options, started when it is first asked.

    Args:
        product: The server's programs.
    """

    def __init__(self, product: Product) -> None:
        super().__init__()
        self._product = product
        self._folder: Path | None = None
        self._role: AnsweringRole | None = None
        self._role_name = ""

    def start(self) -> Declaration:
        """Initialise a data folder, and return what the server declares."""
        if self._folder is not None:
            return self.declaration
        profile = self._product.profile.name
        # The path must be short, as it holds sockets.
        self._folder = Path(tempfile.mkdtemp(prefix="bc"))
        try:
            initialise(self._product, self._folder / "template")
        except (ServerFailed, OSError) as error:
            self.stop()
            raise CannotStart(f"server:{self._product.name} cannot start: {error}") from error
        self.declaration = Declaration(
            name=NAMES[self._product.profile.product],
            version=self._product.profile.versions,
            language="C++",
            homepage=HOMEPAGES[self._product.profile.product],
            roles={
                name: declared(name, role.fields, profile, *role.abilities)
                for name, role in ROLES.items()
                if profile in role.profiles
            },
        )
        return self.declaration

    def stop(self) -> None:
        """End the server, and remove its folder."""
        self._end_role()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def announcement(self) -> Sequence[str]:
        """Return what will be done, line by line."""
        return (
            f"server:{self._product.name}: {self._product.profile.name} is started in a temporary folder, which is"
            " removed at the end; it listens on a socket there, and on no network",
        )

    def answer(self, request: Request) -> Observation:
        """Return the answer to a question, by the server of its role."""
        assert self._folder is not None, "ask after start"
        if self._role is None or self._role_name != request.role:
            self._end_role()
            folder = self._folder / request.role
            shutil.rmtree(folder, ignore_errors=True)
            self._role_name = request.role
            self._role = ROLES[request.role](self._product, folder, self._folder / "template")
        return self._role.answer(request)

    def recover(self) -> None:
        """Kill the server; the next question starts another one."""
        self._end_role()

    def _end_role(self) -> None:
        if self._role is not None:
            self._role.end()
            self._role = None


def unpacked_server(name: str) -> Product:
    """Return the unpacked server of a name.

    Raises:
        ValueError: There is no such server, or it is not unpacked.
    """
    if name not in SERVERS:
        raise ValueError(f"{unknown('server', name, SERVERS, plural='servers')}; write server:NAME")
    folder = os.environ.get(VARIABLE, "")
    how = f"sh {PROVISION} {folder or 'FOLDER'} {name}"
    if not folder:
        raise ValueError(f"server:{name} needs {VARIABLE}, the folder of unpacked servers: run `{how}`, and set it")
    product = Product(name, Path(folder).absolute() / name)
    if not product.server_program.exists():
        raise ValueError(f"server:{name} is not unpacked in {folder}: run `{how}`")
    return product
