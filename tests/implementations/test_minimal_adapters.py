"""The adapters that docs/protocol.md shows work without changes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_logs import EVENTS, log

from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.protocol.messages import encode_bulk_request, encode_start, encode_stop
from conformance.protocol.observation import Request
from conformance.reference.implementation import ReferenceImplementation

ADAPTERS = Path(__file__).parents[2] / "conformance" / "implementations" / "adapters" / "minimal"
COMMANDS = {
    "Python": [sys.executable, str(ADAPTERS / "minimal_adapter.py")],
    "sh": ["sh", str(ADAPTERS / "minimal_adapter.sh")],
}
STREAM = log(*EVENTS)


@pytest.fixture(scope="module", params=COMMANDS)
def adapter(request):
    with ProcessImplementation(COMMANDS[request.param]) as started:
        assert started.declaration.language == request.param
        yield started


def test_the_python_adapter_fits_on_a_page():
    assert len((ADAPTERS / "minimal_adapter.py").read_text(encoding="utf-8").splitlines()) <= 60


def test_it_reports_the_common_header(adapter):
    fields = adapter.declaration.roles["decode"].fields
    expected = ReferenceImplementation().ask(Request("decode", "mysql-8.0", STREAM)).events
    answer = adapter.ask(Request("decode", "mysql-8.0", STREAM))
    assert list(answer.events) == [{name: each[name] for name in fields} for each in expected]
    assert answer.error is None


@pytest.mark.parametrize(
    ("stream", "kind", "at"),
    [
        (b"", "not-a-binlog", 0),
        (b"\xfebix" + STREAM[4:], "not-a-binlog", 0),
        (STREAM[:10], "truncated", 4),
        (STREAM[:100], "truncated", 4),
        (STREAM[:13] + bytes(4) + STREAM[17:], "invalid-length", 4),
    ],
)
def test_it_refuses_a_broken_stream(adapter, stream, kind, at):
    error = adapter.ask(Request("decode", "mysql-8.0", stream)).error
    assert (error.kind, error.at) == (kind, at)


def test_it_answers_many_requests(adapter):
    requests = [Request("decode", "mysql-8.0", STREAM[:size]) for size in range(0, len(STREAM), 40)]
    assert len(list(adapter.ask_many(requests))) == len(requests)


@pytest.mark.parametrize("language", COMMANDS)
def test_it_reads_a_part_of_a_file(tmp_path, language):
    shard = tmp_path / "shard"
    shard.write_bytes(b"before" + STREAM + b"after")
    request = encode_bulk_request(
        role="decode", profile="mysql-8.0", seq=3, path=str(shard), offset=6, length=len(STREAM)
    )
    sent = encode_start() + request + encode_stop()
    done = subprocess.run(COMMANDS[language], input=sent, capture_output=True, check=True, timeout=20)
    answer = json.loads(done.stdout.splitlines()[1])
    assert (answer["seq"], len(answer["events"]), answer["error"]) == (3, 1 + len(EVENTS), None)
