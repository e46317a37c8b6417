"""Every JSON Schema that is published, made from the code that reads and writes what it describes.

`python -m conformance.schemas` writes them into `specs/schemas`; a test holds the files against the code.
"""

import json
from importlib import resources
from pathlib import Path

from conformance.corpus.manifest import manifest_schema
from conformance.protocol.schemas import protocol_schemas
from conformance.specs.json_schema import run_record_schema


def schema_texts() -> dict[Path, str]:
    """Return the text of each schema by the path of its file."""
    folder = Path(str(resources.files("conformance.specs"))) / "schemas"
    schemas = {"run-record": run_record_schema(), "corpus-manifest": manifest_schema(), **protocol_schemas()}
    return {
        folder / f"{name}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }


def main() -> None:
    """Write every schema."""
    for path, text in schema_texts().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
