"""A session that the user has, as in a notebook, and the table of results."""

import signal

import pytest

from conformance.cli.corpus import corpus_with
from tests.extras import require

require("spark")

RUN = ("run", "reference:block-lost", "--family", "loaded_files", "--cases", "40", "--no-shrink", "--quiet")


def test_a_run_leaves_the_session_and_adds_its_verdicts_to_a_table(spark, tmp_path):
    from conformance.corpus.results_table import COLUMNS

    table = f"file:{tmp_path}/verdicts"
    for night in ("one", "two"):
        assert corpus_with(spark, *RUN, "--output", f"{tmp_path}/{night}", "--results-table", table) == 1
    rows = spark.read.parquet(table)
    assert {each.name: each.metadata["comment"] for each in rows.schema} == {
        name: about for name, (_, about) in COLUMNS.items()
    }
    failed = rows.where("status = 'fail'").collect()
    assert {each.requirement for each in failed} == {"FORMAT-LOAD-BLOCK"}
    assert {each.verdict for each in failed} == {"fail"}
    assert len({each.started for each in failed}) == 2
    judged = rows.where("requirement = 'FORMAT-LOAD-BLOCK'").groupBy("started").sum("cases").collect()
    assert [each["sum(cases)"] for each in judged] == [40, 40]


def test_a_format_that_spark_lacks_is_refused_before_the_run(spark, tmp_path, capsys):
    options = ("--output", f"{tmp_path}/run", "--results-table", "verdicts", "--results-format", "delta")
    assert corpus_with(spark, *RUN, *options) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("binlog-conformance: Spark has no format delta")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*RUN, "--master", "local"), "a session that is given has its master and its settings"),
        (("runn",), "no command 'runn'"),
        (("run", "reference"), "give one of --cases, --events and --time"),
    ],
)
def test_a_mistake_is_one_line(spark, capsys, arguments, message):
    assert corpus_with(spark, *arguments) == 2
    assert message in capsys.readouterr().err


def test_a_session_of_spark_connect_is_refused(capsys):
    assert corpus_with(object(), *RUN) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is not a session with the driver in this process" in line


def test_a_session_of_the_kit_leaves_interrupts_to_the_kit(spark):
    """Spark's handler sends an order to Java in the middle of another, whose traceback is then printed."""
    assert getattr(signal.getsignal(signal.SIGINT), "__module__", None) != "pyspark.core.context"
