"""Statements that a client delivers wrongly: whether checksums are the reason."""

from tests.oracles.test_causes import changed, together_of


def with_statements(change):
    """Return a function that answers as a client with other statements."""

    def answer(case):
        return changed(case, lambda each: {**each, "query": change(each["query"])} if each.get("query") else each)

    return answer


def test_a_statement_that_begins_too_early_is_not_blamed_on_checksums():
    together = together_of("client", "sent_logs", "mysql-8.0", with_statements(lambda text: f"t1\0{text}"))
    assert together
    assert all("FORMAT-CLIENT-CHECKSUM" not in requirements for requirements in together.values())
    assert any("FORMAT-CLIENT-EVENT" in requirements for requirements in together.values())


def test_a_statement_with_four_bytes_too_many_or_too_few_is():
    for change in (lambda text: f"{text}abcd", lambda text: text[:-4]):
        together = together_of("client", "sent_logs", "mysql-8.0", with_statements(change))
        assert any("FORMAT-CLIENT-CHECKSUM" in requirements for requirements in together.values())
