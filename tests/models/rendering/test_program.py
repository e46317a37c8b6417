"""The text of real and generated logs, compared with that of the local mysqlbinlog if its version is 9.7."""

import re
import shutil
import subprocess

import pytest
from printed import printed
from real_files import FOREIGN

from conformance.models.rendering.print_options import PrintOptions
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

PROGRAM = shutil.which("mysqlbinlog")
MODES = {
    (): PrintOptions(),
    ("-v",): PrintOptions(verbose=1),
    ("-vv",): PrintOptions(verbose=2),
    ("-vv", "--base64-output=decode-rows"): PrintOptions(verbose=2, base64_output="decode-rows"),
    ("--base64-output=never",): PrintOptions(base64_output="never"),
}
#: Foreign log -> why the program prints it differently.
DIFFERENT = {
    "real-binlogs/5.1.30_bug40482-bin.000001": "it refuses an incident of number 0, which the kit's reader accepts",
    "real-binlogs/5.2.2_ver_5_1-wl2325_r.001": "it does not know that alphas with row events number them differently",
    "real-binlogs/5.2.2_ver_5_1-wl2325_s.001": "it does not know that alphas with row events number them differently",
}
#: Families whose streams the program reads as the kit does, to their end.
FAMILIES = (
    "transactions", "checksum_streams", "gtid_streams", "anonymous_gtid_streams", "tagged_gtid_streams",
    "previous_gtids_streams", "rotations", "ignorable_events", "flagged_known_events", "user_variables", "loaded_files",
    "incidents", "xa_transactions", "group_replication_streams", "transaction_payloads", "large_transactions",
    "every_column_type", "partial_json_updates", "rendered_text",
)  # fmt: skip


@pytest.fixture(scope="module")
def program():
    if PROGRAM is None:
        pytest.skip("needs the program mysqlbinlog on the PATH")
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    if "Ver 9.7" not in version:
        pytest.skip(f"needs mysqlbinlog 9.7, here is {version.strip()}")
    return PROGRAM


def printed_by(program, path, arguments):
    command = [program, "--no-defaults", f"--local-load={path.parent}", *arguments, str(path)]
    done = subprocess.run(command, capture_output=True, env={"TZ": "UTC", "PATH": "/usr/bin:/bin"}, check=False)
    text = done.stdout.replace(f"'{path.parent}/".encode(), b"'")
    # The program reads on after a view's id without a NUL, which has all 40 bytes.
    text = re.sub(rb"(view_id=.{40}).*", rb"\1", text)
    # If a file exists already, the program uses the next number.
    return re.sub(rb"(SQL_LOAD_MB-[0-9a-f]+)-[0-9a-f]+'", rb"\1-0'", text).split(b"\n")


@pytest.mark.ground_truth
@pytest.mark.parametrize("arguments", MODES, ids=" ".join)
@pytest.mark.parametrize("name", [each for each in FOREIGN if each not in DIFFERENT])
def test_foreign_logs(program, ground_truth, tmp_path, name, arguments):
    path = tmp_path / "binlog.000001"
    path.write_bytes((ground_truth / name).read_bytes())
    assert printed([path.read_bytes()], options=MODES[arguments]).split(b"\n") == printed_by(program, path, arguments)


@pytest.mark.parametrize("name", FAMILIES)
def test_generated_logs(program, tmp_path, name):
    role = "render" if name == "rendered_text" else "decode"
    for index in range(5):
        stream = case_of(CaseId(name, "mysql-9.x", seed=5, index=index, role=role)).stream
        path = tmp_path / "binlog.000001"
        path.write_bytes(stream)
        for arguments, options in MODES.items():
            assert printed([stream], options=options).split(b"\n") == printed_by(program, path, arguments)
