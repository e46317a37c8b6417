"""A real server as an implementation in the role `log`: it runs the scenarios, and its logs are the answers.

    BINLOG_SERVERS=FOLDER binlog-conformance certify "command:python tests/real_servers/logging_server.py mysql" \\
        --role log --memory 0
"""

import base64
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
# Run as a program, it can import only from its own folder.
sys.path.insert(0, str(ROOT))


from conformance.models.server.scenario import Scenario  # noqa: E402
from conformance.models.server.settings import Settings  # noqa: E402
from conformance.models.server.sql import sql_of  # noqa: E402
from conformance.models.server.statements import Crash, Disconnect, Restart  # noqa: E402
from conformance.protocol.roles.log import FIELDS  # noqa: E402
from conformance.servers.products import SERVERS, VARIABLE, products  # noqa: E402
from conformance.servers.real_server import RealServer  # noqa: E402
from conformance.servers.scenario_runner import Runner  # noqa: E402


def declaration(name: str) -> dict[str, Any]:
    about = {"name": name, "version": SERVERS[name], "language": "C++"}
    role = {"fields": sorted(FIELDS), "abilities": ["framing"], "profiles": [SERVERS[name]]}
    return {"protocol": 1, "implementation": about, "roles": {"log": role}}


def answer(runner: Runner, scenario: Scenario) -> dict[str, Any]:
    without = next((each.kind for each in scenario.statements if not _has_sql(each)), None)
    if without is not None:
        return {"unsupported": f"there is no SQL for {without}"}
    _, streams = runner.run(scenario)
    return {"streams": [base64.b64encode(each).decode() for each in streams], "error": None}


def _has_sql(statement: Any) -> bool:
    return sql_of(statement) is not None or isinstance(statement, Disconnect | Restart | Crash)


def converse(name: str, folder: Path) -> None:
    server: RealServer | None = None
    try:
        for line in sys.stdin:
            request = json.loads(line)
            if request["cmd"] == "stop":
                return
            if request["cmd"] == "start":
                reply = declaration(name)
                product = products()[name]
                options, uuid = ["--binlog-format=ROW"], Settings().server_uuid
                server = RealServer(product, folder / "s", options=options, uuid=uuid)
                server.start()
                runner = Runner(server)
            else:
                scenario = Scenario.from_json(request["settings"]["scenario"])
                reply = {"seq": request["seq"], **answer(runner, scenario)}
            print(json.dumps(reply), flush=True)
    finally:
        if server is not None:
            server.kill()


def main() -> int:
    name = sys.argv[1] if len(sys.argv) == 2 else ""
    if name not in products():
        print(
            f"usage: logging_server.py {'|'.join(SERVERS)}, unpacked in the folder that {VARIABLE} names",
            file=sys.stderr,
        )
        return 2
    folder = Path(tempfile.mkdtemp(prefix="rs"))
    try:
        converse(name, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
