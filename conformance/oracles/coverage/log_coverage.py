"""What a run in the role `log` exercised: kinds of statements in each format and gtid_mode, and settings."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from conformance.models.server.settings import BINLOG_FORMATS, GTID_MODES
from conformance.models.server.statement_forms import KINDS
from conformance.oracles.coverage.coverage_table import Cell, CoverageTable
from conformance.strategies.grammar.case import Case


def _scenario(case: Case) -> dict[str, Any]:
    scenario: dict[str, Any] = case.settings["scenario"]
    return scenario


def _kinds(case: Case) -> Iterator[Cell]:
    yield from ((each["kind"],) for each in _scenario(case)["statements"])


def _kinds_and_formats(case: Case) -> Iterator[Cell]:
    binlog_format = _scenario(case)["settings"]["binlog_format"]
    yield from ((each["kind"], binlog_format) for each in _scenario(case)["statements"])


def _settings(case: Case) -> Iterator[Cell]:
    settings = _scenario(case)["settings"]
    yield (settings["gtid_mode"], settings["binlog_format"])


def _logs(case: Case) -> Iterator[Cell]:
    yield (str(1 + max((entry["log"] for entry in case.expected.events), default=0)),)


_table: Final = partial(CoverageTable, role="log")
#: What a corpus exercised.
LOG_TABLES: Final = (
    _table("kinds of statements logged", ("statement",), _kinds, tuple((kind,) for kind in KINDS)),
    _table("statements and formats", ("statement", "format of the server"), _kinds_and_formats),
    _table(
        "settings of logging servers",
        ("gtid_mode", "format"),
        _settings,
        tuple((mode, each) for mode in GTID_MODES for each in BINLOG_FORMATS),
    ),
    _table("logs of a scenario", ("logs",), _logs),
)
