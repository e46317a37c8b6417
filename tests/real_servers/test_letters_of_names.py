"""Names of tables that differ in letter case alone, beyond ASCII too, are names of different tables to a server."""

import pytest

from conformance.servers.real_server import running
from conformance.specs.versions import Profiles
from conformance.strategies.scenarios.table_names import CASTS

SERVERS = Profiles("mysql >= 5.7")


@pytest.mark.parametrize("names", ["letter case", "letter case beyond ASCII"])
def test_names_in_another_letter_case_are_those_of_other_tables(product, server_folder, template_of, names):
    cast = CASTS[names]
    folder = server_folder / f"letters-{product.name}-{list(CASTS).index(names)}"
    with running(product, folder, template=template_of(product)) as server:
        tables = [cast.first, cast.near, cast.elsewhere]
        if not int(server.value("SELECT @@lower_case_table_names = 0")):
            pytest.skip("names are compared without regard to case on this system")
        for database in dict.fromkeys(each.database for each in tables):
            server.run(f"CREATE DATABASE IF NOT EXISTS `{database}`")
        server.run(*(f"CREATE TABLE `{each.database}`.`{each.name}` (a INT)" for each in tables))
        seen = {(each.database, each.name) for each in tables}
        rows = server.run(
            "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' "
            "AND table_schema NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema')"
        )
        assert {tuple(map(str, row)) for row in rows} >= seen
