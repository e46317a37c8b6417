"""JSON Schemas that follow from structs."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from conformance.specs import catalogue, known_bugs, run_comparison, run_record, run_summary


def document(name: str, *, title: str, description: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON Schema as it is published.

    Args:
        name: The name of the schema and its version, such as ``run-record:1``.
        title: What it describes, in a few words.
        description: The same in a few sentences.
        body: What must hold, with the definitions that it refers to in ``$defs``.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:binlog-conformance:{name}",
        "title": title,
        "description": description,
        **body,
    }


def components(forms: Sequence[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the schemas of types, and the definitions that they refer to."""
    schemas, definitions = msgspec.json.schema_components(forms)
    return [_tidy(schema) for schema in schemas], _tidy(definitions)


def one_of(*forms: Any) -> dict[str, Any]:
    """Return the schema of a value that is of exactly one of some types."""
    schemas, definitions = components(forms)
    return {"oneOf": schemas, "$defs": definitions}


def body_of(form: Any) -> dict[str, Any]:
    """Return the schema of a type, itself not among the definitions and without a title."""
    _, definitions = components([form])
    body = definitions.pop(form.__name__)
    del body["title"], body["description"]
    return {**body, "$defs": definitions}


def meanings(words: Mapping[str, str]) -> str:
    """Return the description of a text that is one of some words, from their meanings."""
    return "; ".join(f"{word}: {meaning}" for word, meaning in words.items())


def _tidy(schema: Any) -> Any:
    """Return a schema with the first line of each docstring as the description, and null last where it is possible.

    Versions of msgspec differ in the order of what is possible.
    """
    if isinstance(schema, list):
        return sorted(map(_tidy, schema), key=lambda each: each == {"type": "null"})
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.partition("\n")[0] if key == "description" and isinstance(value, str) else _tidy(value)
        for key, value in schema.items()
    }


def requirements_schema() -> dict[str, Any]:
    """Return the schema of a file of the requirement catalogue."""
    return document(
        "requirements:1",
        title="One file of the requirement catalogue",
        description="A worklog's requirements, as in specs/requirements/*.toml (TOML read as JSON).",
        body=body_of(catalogue.Document),
    )


def extension_requirements_schema() -> dict[str, Any]:
    """Return the schema of a file of requirements of an extension."""
    return document(
        "extension-requirements:1",
        title="A file of requirements of an extension",
        description="What docs/extensions.md describes (TOML read as JSON).",
        body=body_of(catalogue.ExtensionDocument),
    )


def known_bugs_schema() -> dict[str, Any]:
    """Return the schema of the file of known bugs."""
    return document(
        "known-bugs:1",
        title="Known bugs of the field",
        description="The bugs in specs/known_bugs.toml, and which requirement notices each (TOML read as JSON).",
        body=body_of(known_bugs.KnownBugs),
    )


def run_record_schema() -> dict[str, Any]:
    """Return the schema of a line of a run record."""
    return document(
        f"run-record:{run_record.SCHEMA}",
        title=f"A line of a run record, version {run_record.SCHEMA}",
        description="A run record is a file of JSON lines in UTF-8, keys sorted, no spaces: one header, each distinct "
        "failure, each requirement that the run selects, one coverage line, one footer, in this order. This schema "
        "describes one line; keys that it does not name are ignored. A record without a footer is that of a run that "
        "was cut off, and is an error. Two runs with the same seed differ in 'started' and 'elapsed' only.",
        body=one_of(*run_record.LINES.values()),
    )


def run_summary_schema() -> dict[str, Any]:
    """Return the schema of the summary of a run."""
    return document(
        f"run-summary:{run_summary.SCHEMA}",
        title="The summary of a run",
        description="What `--format json` prints: the verdict, each finding and each requirement of a run.",
        body=body_of(run_summary.RunSummary),
    )


def run_comparison_schema() -> dict[str, Any]:
    """Return the schema of the comparison of two runs."""
    return document(
        f"run-comparison:{run_comparison.SCHEMA}",
        title="The comparison of two runs",
        description="What `compare --format json` prints: what changed from the first run to the second.",
        body=body_of(run_comparison.RunComparison),
    )
