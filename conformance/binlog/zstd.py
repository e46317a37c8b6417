"""Unpacking zstd: by the package zstandard, and where that is not installed by the module of Python 3.14."""

from importlib import import_module
from io import BytesIO
from typing import Protocol


class UnpackedStream(Protocol):
    """The unpacked bytes of a payload, from beginning to end."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, fewer than `size` only at the end."""


def unpacking(packed: bytes) -> tuple[UnpackedStream, tuple[type[Exception], ...]]:
    """Return the stream of what zstd frames hold, and the errors that it raises where they are not valid.

    Args:
        packed: The frames, one after another.

    Raises:
        ImportError: Neither the package zstandard nor Python 3.14's module is there.
    """
    # Only logs with compressed transactions need either.
    try:
        import zstandard
    except ImportError as error:
        try:
            module = import_module("compression.zstd")
        except ImportError:
            raise error from None
        return module.ZstdFile(BytesIO(packed)), (module.ZstdError, EOFError)
    stream: UnpackedStream = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    return stream, (zstandard.ZstdError,)
