"""The payloads of a Transaction_payload have the sizes that their classes name."""

import pytest

from conformance.engine.discovery import cases_by_default
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

FIELDS = {"the events": "uncompressed_size", "the payload": "payload_size"}


@pytest.mark.parametrize("profile", ["mysql-8.4", "mysql-9.x"])
def test_a_payload_has_the_size_of_its_class(profile):
    for index in range(cases_by_default("payload_sizes", profile, role="decode")):
        case = case_of(CaseId("payload_sizes", profile, seed=0, index=index))
        (payload,) = (each for each in case.expected.events if "payload_size" in each)
        assert payload[FIELDS[case.classes["what has so many bytes"]]] == int(case.classes["bytes"]), case.id
