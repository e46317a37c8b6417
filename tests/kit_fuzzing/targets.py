"""The table of targets: each entrance of the kit by its name."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from conformance.binlog.header import MAGIC
from tests.kit_fuzzing import hand_written, log_commands, protocol_messages, records, seeds
from tests.kit_fuzzing.hand_written import mutate_id
from tests.kit_fuzzing.json_mutation import mutated_json
from tests.kit_fuzzing.target import Target, cross_logs, mutate_answer, mutate_log, mutate_text

#: Bytes of the longest log.
_LOG_BYTES: Final = 1 << 14
#: Texts that readers of logs compare with.
_LOG_WORDS: Final = (
    MAGIC,
    b"BEGIN",
    b"COMMIT",
    b"ROLLBACK",
    b"SAVEPOINT `s`",
    b"XA START X'61',X'',1",
    b"XA END X'61',X'',1",
    b"XA PREPARE X'61',X'',1",
    b"XA COMMIT X'61',X'',1 ONE PHASE",
    b"CREATE TABLE t1 (a INT)",
    b"DROP TABLE IF EXISTS t1,t2",
    b"INSERT INTO t1 VALUES (1)",
    b"8.0.36",
    b"5.6.51-log",
    b"10.11.6-MariaDB",
    b"test",
    b"\xfb",
    b"\xfc\xff\xff",
    b"\xfd\xff\xff\xff",
    b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\xff\xff\xff\xff",
)
#: Bytes of the longest text.
_TEXT_BYTES: Final = 1 << 15
#: Texts that JSON is made of.
_JSON_WORDS: Final = (
    b"null",
    b"true",
    b"1e999",
    b"NaN",
    b"\\ud800",
    b"\\u0000",
    b'":',
    b'","',
    b"{}",
    b"[]",
    b"[[",
    b"]]",
)


def _log_target(name: str, check: Callable[[bytes, Path], None], options: int) -> Target:
    def inputs() -> Iterator[bytes]:
        for number, log in enumerate(seeds.logs()):
            yield bytes([number % options]) + log

    return Target(name, check, inputs, _LOG_WORDS, _LOG_BYTES, mutate_log, cross_logs)


def _read_run_folder(data: bytes, folder: Path) -> None:
    from tests.kit_fuzzing import run_folders

    run_folders.read(data, folder)


def _run_folders() -> Iterable[bytes]:
    from tests.kit_fuzzing import run_folders

    return run_folders.folders()


#: Target -> the extra without which the kit does not have that entrance.
EXTRAS: Final = {"filter": "sql", "run-folder": "spark"}

TARGETS: Final = {
    target.name: target
    for target in (
        _log_target("wire", log_commands.read, len(log_commands.WIRE)),
        _log_target("checker", log_commands.judge, len(log_commands.CHECKER) + 1),
        _log_target("printer", log_commands.show, len(log_commands.PRINTER)),
        _log_target("filter", log_commands.copy, len(log_commands.FILTER)),
        Target(
            "declaration",
            protocol_messages.declare,
            protocol_messages.declarations,
            _JSON_WORDS,
            _TEXT_BYTES,
            mutated_json,
        ),
        Target("answer", protocol_messages.answer, protocol_messages.answers, _JSON_WORDS, _TEXT_BYTES, mutate_answer),
        Target("record", records.read, records.records, _JSON_WORDS, _TEXT_BYTES, mutated_json),
        Target(
            "baseline",
            hand_written.accept,
            lambda: hand_written.BASELINES,
            hand_written.BASELINE_WORDS,
            _TEXT_BYTES,
            mutate_text,
        ),
        Target("case-id", hand_written.replay, hand_written.case_ids, hand_written.ID_WORDS, 1 << 12, mutate_id),
        Target("run-folder", _read_run_folder, _run_folders, _JSON_WORDS, _TEXT_BYTES, mutated_json),
    )
}
