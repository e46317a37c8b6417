"""The Spark session of the `corpus` commands, and the errors there that a user can repair."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.main import UserError, words_of
from conformance.specs.extras import install_command

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NEEDS = f"corpora need Spark: {install_command('spark')}"


@contextmanager
def session_of(options: dict[str, Any]) -> Iterator["SparkSession"]:
    """Give the session that the options ask for, or the one that `corpus_with` has.

    Raises:
        UserError: There is no Spark, or the options do not fit.
    """
    try:
        from conformance.corpus.session import given_session, spark_session
    except ImportError as error:
        raise UserError(f"{_NEEDS} ({error})") from error
    settings = dict(each.partition("=")[::2] for each in options["settings"])
    if "" in settings or not all("=" in each for each in options["settings"]):
        raise UserError("--conf takes KEY=VALUE")
    given = click.get_current_context().obj
    if given is None:
        with spark_session(master=options["master"], settings=settings) as spark:
            yield spark
        return
    if settings or options["master"] is not None:
        raise UserError("a session that is given has its master and its settings: leave out --master and --conf")
    with given_session(given):
        yield given


@contextmanager
def mistakes_in_one_line() -> Iterator[None]:
    """Turn every error that a user can fix into one line."""
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        from conformance.corpus.java import NoJava
        from conformance.corpus.output import NotUsable
        from conformance.corpus.results_table import NoTable
        from conformance.corpus.session import NoSession, reason
        from conformance.corpus.storage import StorageError
        from conformance.corpus.waves import WaveFailed
        from conformance.engine.run_lock import InUse
    except ImportError as error:
        raise UserError(f"{_NEEDS} ({error})") from error
    from conformance.engine.baseline import BaselineError
    from conformance.implementations.process.process_implementation import CannotStart
    from conformance.reports.record import RecordError

    try:
        yield
    except (BaselineError, CannotStart, InUse, NoJava, NoSession, NoTable, NotUsable, RecordError) as error:
        raise UserError(str(error)) from error
    except (StorageError, WaveFailed) as error:
        raise UserError(str(error)) from error
    except (Py4JError, PySparkException) as error:
        raise UserError(f"Spark: {reason(error)}") from error
    except ConnectionError as error:
        raise UserError(f"Spark does not answer: {error.strerror}") from error
    except OSError as error:
        raise UserError(words_of(error)) from error
    except ValueError as error:
        raise UserError(str(error)) from error
