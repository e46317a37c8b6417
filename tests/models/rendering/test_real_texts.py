"""The text of real logs, line by line as mysqlbinlog 9.7.4 and mariadb-binlog 10.11 print them."""

import re

import pytest
from printed import RULES_9, printed
from real_files import LISTED, TORN

from conformance.binlog.reader import ReaderRules
from conformance.models.rendering.print_options import PrintOptions

pytestmark = pytest.mark.ground_truth

OPTIONS = {
    "vv": PrintOptions(verbose=2),
    "decode": PrintOptions(verbose=2, base64_output="decode-rows"),
}
#: MariaDB's logs were printed by its own program.
PROFILES = {name: "mariadb-10.x" if "mariadb" in name else "mysql-9.x" for name in LISTED}
#: Lines that the kit prints differently -> why. The program wrote LOAD DATA's files to a folder given by an option.
DIFFERENCES = {r"^(LOAD DATA LOCAL INFILE ')[^']*/(SQL_LOAD_MB-\w+-)\w+'": "the folder of the files, and their count"}


def read_text(path):
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    for pattern in DIFFERENCES:
        text = re.sub(pattern, r"\1\g<2>0'", text, flags=re.MULTILINE)
    return text.encode("utf-8", "surrogateescape").split(b"\n")


@pytest.mark.parametrize("form", OPTIONS)
@pytest.mark.parametrize("name", LISTED)
def test_every_line_is_the_program_s(ground_truth, name, form):
    path = ground_truth / name
    rules = RULES_9 if PROFILES[name] == "mysql-9.x" else ReaderRules()
    text = printed([path.read_bytes()], PROFILES[name], OPTIONS[form], rules)
    assert text.split(b"\n") == read_text(path.with_name(f"{path.name}.{form}.txt"))


def test_a_torn_log_is_printed_up_to_its_tear(ground_truth):
    path = ground_truth / TORN
    assert printed([path.read_bytes()], options=OPTIONS["decode"]).split(b"\n") == read_text(
        path.with_name(f"{path.name}.decode.txt")
    )
