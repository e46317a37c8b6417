"""What a decoder reports of a type is in the type's bytes."""

import pytest

from conformance.binlog.event_types import ROWS_TYPES, EventType, type_name
from conformance.binlog.keyed import Keyed
from conformance.binlog.layouts.by_type import layout_of
from conformance.protocol.reported_event import DERIVED_FIELDS
from conformance.protocol.roles.decode import FIELDS_OF_TYPE

#: A post-header length under which rows events of 5.1's betas are laid out.
_OF_BETAS = 8


def fields_on_the_wire(code):
    layout = layout_of(code, _OF_BETAS)
    block = layout.block.fields.values() if isinstance(layout.block, Keyed) else ()
    return {each.name for each in (*layout.post_header, *layout.body, *block)}


@pytest.mark.parametrize("code", EventType, ids=type_name)
def test_a_reported_field_is_in_the_layout_or_derived_from_it(code):
    reported = {*FIELDS_OF_TYPE[code].required, *FIELDS_OF_TYPE[code].optional}
    derived = {*DERIVED_FIELDS.get(code, ()), *(("rows",) if code in ROWS_TYPES else ())}
    lost = reported - fields_on_the_wire(code) - derived
    assert lost == set(), f"add {lost} to the layout of {code.name}, or derive it in reported_event"
