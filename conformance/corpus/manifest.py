"""The manifest of a corpus or of a run over one: everything that its cases and verdicts depend on."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from conformance import __version__
from conformance.corpus.kit_archive import extension_digests
from conformance.corpus.plan import Plan, Size
from conformance.specs.json_schema import document, one_of
from conformance.specs.run_record import Moment

#: Version of the manifest.
MANIFEST_SCHEMA: Final = 1
#: Version of the columns of a stored corpus, which is in the metadata of its files too.
CORPUS_SCHEMA: Final = 2


class Origin(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The kit that a corpus or a run is made by, and when."""

    schema: Annotated[Literal[1], Meta(description="Version of the manifest.")]
    kit: Annotated[str, Meta(description="Version of binlog-conformance.")]
    rules: Annotated[
        str,
        Meta(description="Digest of the kit's grammar, wire format, catalogue and oracles.", pattern="^[0-9a-f]{16}$"),
    ]
    started: Annotated[Moment, Meta(description="When it began, in UTC.")]
    extensions: Annotated[
        Mapping[str, str], Meta(description="The installed extensions, packages with versions -> a digest of each.")
    ] = {}


class CorpusManifest(Origin, frozen=True, kw_only=True):
    """The manifest of a stored corpus."""

    plan: Plan
    size: Size
    corpus_schema: Annotated[Literal[2], Meta(description="Version of the columns.")]
    complete: Annotated[bool, Meta(description="Whether it has all its cases.")]


class RunManifest(Origin, frozen=True, kw_only=True, omit_defaults=True):
    """The manifest of a run, over cases that are made on the way or over a stored corpus."""

    plan: Plan
    size: Annotated[Size | None, Meta(description="How many cases are made; not in a run over a stored corpus.")] = None
    spec: Annotated[str, Meta(description="The implementation as the user named it.")]
    implementation: Annotated[tuple[str, str], Meta(description="Its name and version.")]
    role: Annotated[str, Meta(description="The role of the questions.")]
    fields: Annotated[tuple[str, ...], Meta(description="The event fields that it declares.")]
    abilities: Annotated[tuple[str, ...], Meta(description="The abilities that it declares.")]
    profiles: Annotated[tuple[str, ...], Meta(description="The profiles that it claims.")]
    requirements: Annotated[str, Meta(description="The glob that selects requirements.")]
    corpus: Annotated[str | None, Meta(description="Where the stored corpus is.")] = None
    corpus_kit: Annotated[str | None, Meta(description="Digest of the kit that wrote the stored corpus.")] = None


Manifest = CorpusManifest | RunManifest


def origin(rules: str) -> dict[str, Any]:
    """Return the fields of an `Origin` that begins now, for a manifest.

    Args:
        rules: Digest of the kit's rules.
    """
    return {
        "schema": MANIFEST_SCHEMA,
        "kit": __version__,
        "rules": rules,
        "started": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "extensions": extension_digests(),
    }


def manifest_schema() -> dict[str, Any]:
    """Return the JSON Schema of a manifest."""
    return document(
        f"corpus-manifest:{MANIFEST_SCHEMA}",
        title=f"The manifest of a corpus or of a run over one, version {MANIFEST_SCHEMA}",
        description="manifest.json in the folder of a corpus or a run: everything that its cases and verdicts depend "
        "on. A run is resumed only if all of it except 'started' is unchanged. Beside it are the folders "
        "waves/cases=FIRST-END-ID/, each with Parquet files and, once it is complete, _COMMITTED.",
        body=one_of(CorpusManifest, RunManifest),
    )
