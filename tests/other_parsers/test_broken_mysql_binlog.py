"""The adapter of mysql_binlog is a window: each defect of a copy of the library shows through it."""

import re

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from tests.other_parsers.broken_library import SOURCES, WholeLibrary, build_with_cargo, named

pytestmark = [pytest.mark.slow, pytest.mark.network]

SOURCE = SOURCES / "mysql_binlog.rs"
LIMITS = Limits(seconds=20.0, memory_bytes=2 << 30)

#: Field of the header -> what the library returns of it, which is another value with the defect.
OF_HEADER = {"timestamp": "timestamp", "flags": "flags", "length": "event_length", "offset": "offset"}
_READ = "EventData::from_data(self.type_code, &self.data, table_map)"
_NEXT = "    pub fn next_position(&self) -> u64 {\n"
#: File of the library -> what is replaced in it, by what: where the defects of SOURCE are called.
PLACES = {
    "lib.rs": {"pub mod errors;": "pub mod defects;\npub mod errors;"},
    "event.rs": {
        "        self.type_code\n    }": "        crate::defects::code(self.type_code)\n    }",
        **{
            f"        self.{name}\n    }}": f'        crate::defects::other("{field}", self.{name})\n    }}'
            for field, name in OF_HEADER.items()
        },
        # Its iterator goes on at the position that was read.
        f"{_NEXT}        u64::from(self.next_position)\n": (
            f"    pub fn end(&self) -> u64 {{\n        u64::from(self.next_position)\n    }}\n\n"
            f'{_NEXT}        crate::defects::other("log_pos", self.end())\n'
        ),
        _READ: f"crate::defects::returned({_READ})",
    },
    "binlog_file.rs": {
        "Some(event.next_position())": "Some(event.end())",
        "if magic != [0xfeu8, 0x62, 0x69, 0x6e] {": (
            'if magic != [0xfeu8, 0x62, 0x69, 0x6e] && !crate::defects::is("framing") {'
        ),
    },
}
#: The defects: each is named after a field or an ability, and after a word of its own if there are several of one.
DEFECTS = (
    *dict.fromkeys(re.findall(r'"([^"]+)"\)? (?:=>|&&|\{)', SOURCE.read_text(encoding="utf-8"))),
    *("log_pos", "framing", *OF_HEADER),
)
#: Defect -> a part of the failure that shows it, where that is not a difference in the field.
SHOWN_AS = {
    "offset": "dropped",
    "handled": "QUERY not known",
    "crash": "panic: a defect of the library",
    "framing": "not-a-binlog accepted",
    "rows": "wrong number of rows",
    "rows: no update": "wrong number of rows",
    "rows: no delete": "wrong number of rows",
    "rows: images": "wrong columns",
    "rows: integers": "LONG differs",
    "rows: floats": "FLOAT differs",
    "rows: doubles": "DOUBLE differs",
    "rows: texts": "VARCHAR differs",
    "rows: enums": "ENUM differs",
    "rows: blobs": "BLOB differs",
    "rows: years": "YEAR differs",
    "rows: dates": "DATE differs",
    "rows: times": "TIME2 differs",
    "rows: datetimes": "DATETIME2 differs",
    "rows: documents": "JSON",
    "rows: decimals": "NEWDECIMAL differs",
    "rows: timestamps": "TIMESTAMP2 differs",
}


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    """The adapter, built with a copy of the library that has every defect, each for its own name in DEFECT."""
    return build_with_cargo("mysql_binlog", tmp_path_factory.mktemp("rust"), source=SOURCE, places=PLACES)


def parser(adapter, defect):
    return ProcessImplementation(["env", f"DEFECT={defect}", str(adapter)], limits=LIMITS)


@pytest.fixture(scope="module")
def whole(adapter):
    """It panics at most tables with columns of all types."""
    with parser(adapter, "none") as library:
        return WholeLibrary.of(library, examples=3, more={"every_column_type": 180})


def test_each_declared_field_and_ability_has_a_defect(whole):
    assert {named(defect) for defect in DEFECTS} == {*whole.names(), "crash"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_the_library_shows_through(adapter, whole, defect):
    with parser(adapter, defect) as broken:
        assert whole.shows(broken, defect, SHOWN_AS)
