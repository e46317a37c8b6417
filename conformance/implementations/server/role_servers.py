"""The servers that answer the questions of one role."""

from collections.abc import Sequence
from pathlib import Path

from conformance.servers.products import Product
from conformance.servers.real_server import RealServer, ServerFailed


class RoleServers:
    """The servers of a role, by what distinguishes them; each is started when it is first needed.

    Args:
        product: Their programs.
        folder: The folder of their data folders.
        template: An initialised data folder, which each begins with.
    """

    def __init__(self, product: Product, folder: Path, template: Path) -> None:
        self.product = product
        self._folder = folder
        self._template = template
        self._running: dict[str, RealServer] = {}

    def server(self, name: str, options: Sequence[str], *, uuid: str | None = None) -> RealServer:
        """Return the running server of a name; the options and the UUID are those of the first time."""
        if name not in self._running:
            server = RealServer(self.product, self._folder / name, options=options, uuid=uuid, template=self._template)
            server.start()
            self._running[name] = server
        return self._running[name]

    def check(self) -> None:
        """Raise `ServerFailed` if a server has ended by itself."""
        for server in self._running.values():
            if not server.running:
                raise ServerFailed(f"{self.product.name} ended by itself")

    def end(self) -> None:
        """Kill every server."""
        for server in self._running.values():
            server.kill()
        self._running.clear()
