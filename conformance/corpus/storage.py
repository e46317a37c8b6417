"""Storage: a folder on any Hadoop file system, reached through Spark's Java process."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import url2pathname

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from conformance.specs.conversion import Malformed
from conformance.specs.files import check_size


class StorageError(Exception):
    """A folder or a file cannot be reached; the message says which and why, in one line."""


@contextlib.contextmanager
def _one_line_errors(path: str) -> Iterator[None]:
    try:
        yield
    except Py4JJavaError as error:
        reason = str(error.java_exception.toString()).partition("\n")[0]
        raise StorageError(f"{path}: {reason}") from error


class Storage:
    """A folder.

    Args:
        spark: The session whose file systems are used.
        uri: Any Hadoop path, such as ``hdfs:///nightly``, ``s3a://bucket/nightly`` or ``/data/nightly``.

    Attributes:
        uri: The path with its file system, so that it means the same on every machine.

    Raises:
        StorageError: There is no such file system.
    """

    def __init__(self, spark: SparkSession, uri: str) -> None:
        self._spark = spark
        jvm: Any = spark.sparkContext._jvm
        self._new_path = jvm.org.apache.hadoop.fs.Path
        with _one_line_errors(uri):
            path = self._new_path(uri)
            self._files = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
            self.uri: str = self._files.makeQualified(path).toString()

    @property
    def local(self) -> Path | None:
        """The folder if it is in the file system of this machine, None otherwise."""
        scheme, _, path = self.uri.partition(":")
        return Path(url2pathname(quote(path))) if scheme == "file" else None

    def at(self, *names: str) -> "Storage":
        """Return a folder inside this one."""
        return Storage(self._spark, "/".join((self.uri.rstrip("/"), *names)))

    def _path(self, name: str) -> Any:
        return self._new_path(f"{self.uri.rstrip('/')}/{name}" if name else self.uri)

    def exists(self, name: str = "") -> bool:
        """Return whether the folder, or a file or folder in it, exists.

        Raises:
            StorageError: The file system cannot be reached.
        """
        with _one_line_errors(f"{self.uri}/{name}"):
            return bool(self._files.exists(self._path(name)))

    def names(self) -> list[str]:
        """Return the names of the files and folders in the folder, sorted; none if there is no folder.

        Raises:
            StorageError: It cannot be read.
        """
        with _one_line_errors(self.uri):
            if not self._files.exists(self._path("")):
                return []
            return sorted(str(each.getPath().getName()) for each in self._files.listStatus(self._path("")))

    def read(self, name: str, *, limit: int) -> bytes:
        """Return a file's content.

        Args:
            name: Its name.
            limit: Its greatest size in bytes; no more is read.

        Raises:
            StorageError: It cannot be read, or is larger.
        """
        with _one_line_errors(f"{self.uri}/{name}"):
            stream = self._files.open(self._path(name))
            try:
                content = bytes(stream.readNBytes(limit + 1))
            finally:
                stream.close()
        try:
            check_size(content, limit=limit)
        except Malformed as error:
            raise StorageError(f"{self.uri}/{name}: {error}") from error
        return content

    def write(self, name: str, content: bytes) -> None:
        """Write a file completely or not at all, and replace an older one.

        Raises:
            StorageError: It cannot be written.
        """
        partial, whole = self._path(f"_{name}.partial"), self._path(name)
        with _one_line_errors(f"{self.uri}/{name}"):
            stream = self._files.create(partial, True)
            try:
                stream.write(bytearray(content))
            finally:
                stream.close()
            self._replace(partial, whole)

    def overwrite(self, name: str, content: bytes) -> None:
        """Write a small file in place: it exists at any moment, but another reader may see an empty one.

        Raises:
            StorageError: It cannot be written.
        """
        with _one_line_errors(f"{self.uri}/{name}"):
            stream = self._files.create(self._path(name), True)
            try:
                stream.write(bytearray(content))
            finally:
                stream.close()

    def _replace(self, partial: Any, whole: Any) -> None:
        """Replace one file with another, so that one of the two exists at any moment."""
        jvm: Any = self._spark.sparkContext._jvm
        configuration = self._spark.sparkContext._jsc.hadoopConfiguration()
        try:
            context = jvm.org.apache.hadoop.fs.FileContext.getFileContext(whole.toUri(), configuration)
        except Py4JJavaError:
            # Some file systems have only the older interface, which cannot replace a file in one step.
            self._files.delete(whole, False)
            if not self._files.rename(partial, whole):
                raise StorageError(f"{whole.toString()}: cannot be replaced") from None
            return
        option = getattr(jvm.org.apache.hadoop.fs, "Options$Rename")
        options = self._spark.sparkContext._gateway.new_array(option, 1)  # type: ignore[union-attr]
        options[0] = option.OVERWRITE
        context.rename(partial, whole, options)

    def delete(self, name: str) -> None:
        """Delete a file, or a folder with all its content, if it exists.

        Raises:
            StorageError: It cannot be deleted.
        """
        with _one_line_errors(f"{self.uri}/{name}"):
            self._files.delete(self._path(name), True)
