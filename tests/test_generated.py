"""What is written from the code is as the code has it."""

import subprocess
import sys

import pytest

from tests import generated
from tests.generated import PROTOCOL_PAGE, TABLES, page_text

MADE = generated.generated()
PAGES = {page: page.read_text(encoding="utf-8") for page in TABLES}
PAGES_AND_TABLES = [(page, name) for page, tables in TABLES.items() for name in tables]


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.name)
def test_a_file_is_as_the_code_has_it(path):
    assert path.read_text(encoding="utf-8") == MADE[path](), "run `tox -e regenerate`"


@pytest.mark.parametrize(("page", "name"), PAGES_AND_TABLES, ids=lambda each: getattr(each, "stem", each))
def test_a_table_that_is_out_of_date_is_written_again(page, name):
    begin = f"<!-- regenerated: {name} -->\n"
    before, _, rest = PAGES[page].partition(begin)
    assert rest
    out_of_date = f"{before}{begin}out of date\n{rest[rest.index('<!-- end -->') :]}"
    assert page_text(page, out_of_date).split() == PAGES[page].split()


def test_a_page_that_lacks_a_table_is_refused():
    with pytest.raises(ValueError, match=r"^docs/protocol.md has the tables profiles, departures, fields of types"):
        page_text(PROTOCOL_PAGE, PAGES[PROTOCOL_PAGE].replace("<!-- regenerated: fields -->\n", ""))


def test_a_check_writes_nothing_and_names_what_is_out_of_date(tmp_path):
    code = (
        "import sys; from pathlib import Path; from tests import generated\n"
        "generated.schema_texts = lambda: {generated.ROOT / 'README.md': 'short'}\n"
        "sys.argv[1:] = ['--check']; sys.exit(generated.main())"
    )
    readme = (generated.ROOT / "README.md").read_text(encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=generated.ROOT)
    assert (done.returncode, done.stdout) == (1, "README.md: run `tox -e regenerate`\n"), done.stderr
    assert (generated.ROOT / "README.md").read_text(encoding="utf-8") == readme
