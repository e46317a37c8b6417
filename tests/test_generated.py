"""What is written from the code is as the code has it."""

import subprocess
import sys

import pytest

from tests import generated
from tests.generated import PROTOCOL_PAGE, TABLES, page_text

WRITTEN = generated.generated()
PAGE = PROTOCOL_PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_a_file_is_as_the_code_has_it(path):
    assert path.read_text(encoding="utf-8") == WRITTEN[path], "run `tox -e regenerate`"


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_is_out_of_date_is_written_again(name):
    begin = f"<!-- regenerated: {name} -->\n"
    before, _, rest = PAGE.partition(begin)
    assert rest
    assert page_text(f"{before}{begin}out of date\n{rest[rest.index('<!-- end -->') :]}").split() == PAGE.split()


def test_a_page_that_lacks_a_table_is_refused():
    with pytest.raises(ValueError, match="has the tables profiles, fields of types"):
        page_text(PAGE.replace("<!-- regenerated: fields -->\n", ""))


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
