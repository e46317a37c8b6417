"""Compressed data written by hand: every library decompresses it."""

import io
import zlib

import pytest
import zstandard

from conformance.binlog.mariadb_compression import PackedValue, unpack_mariadb
from conformance.strategies.events.plain_compression import (
    DEFLATED,
    mariadb_part,
    zlib_stream,
    zlib_wrapped,
    zstd_frame,
)

SAMPLES = [b"", b"a", b"a" * 8, b"x" * 300_000, bytes(range(256)) * 600, b"head" + b"\0" * 20 + b"tail"]


@pytest.mark.parametrize("data", SAMPLES, ids=len)
def test_a_zstd_frame_is_decompressed(data):
    stream = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(zstd_frame(data)))
    assert stream.read() == data


def test_a_run_of_one_byte_is_compressed():
    assert len(zstd_frame(b"x" * 300_000)) < 30


@pytest.mark.parametrize("data", SAMPLES, ids=len)
def test_a_zlib_stream_is_decompressed(data):
    assert zlib.decompress(zlib_stream(data)) == data


@pytest.mark.parametrize("data", SAMPLES[1:], ids=len)
def test_a_compressed_part_of_mariadb_is_decompressed(data):
    assert unpack_mariadb(mariadb_part(data)) == data


@pytest.mark.parametrize("sample", DEFLATED, ids=lambda sample: len(sample.data))
def test_what_a_server_compressed_is_decompressed_with_and_without_the_zlib_header(sample):
    bare = PackedValue.deflated(sample.stream, len(sample.data), bare=True)
    wrapped = PackedValue.deflated(zlib_wrapped(sample), len(sample.data), bare=False)
    assert bare.unpacked() == wrapped.unpacked() == sample.data
    assert zlib.decompress(zlib_wrapped(sample)) == sample.data
