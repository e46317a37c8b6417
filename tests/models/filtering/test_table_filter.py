"""The examples of WL#40, sections 4 to 6, and the modes for its two open questions."""

import pytest

from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.statement import CreateTable, FilteredStatement
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName
from conformance.models.filtering.tables_info import rename_table


def t(name, database="test"):
    return TableName(database, name)


def doing(*names, **modes):
    return TableFilter(FilterRules(do_tables=frozenset(map(t, names))), **modes)


def ignoring(*names, **modes):
    return TableFilter(FilterRules(ignore_tables=frozenset(map(t, names))), **modes)


def create(chosen, name, like=None, sources=()):
    made = CreateTable(t(name), t(like) if like else None, tuple(map(t, sources)), bool(sources))
    tables = (made.table, *((made.like,) if made.like else ()), *made.sources)
    return chosen.passes(tables, FilteredStatement(tables, create=made))


def rename(chosen, *pairs):
    split = tuple((t(old), t(new)) for old, new in (pair.split(">") for pair in pairs))
    return chosen.passes(rename_table(split), FilteredStatement(rename_table(split), renames=split))


def work(chosen, *names):
    return chosen.passes(tuple(map(t, names)), FilteredStatement(tuple(map(t, names))))


def drop(chosen, name):
    return chosen.passes((t(name),), FilteredStatement((t(name),), dropped=(t(name),)))


def test_do_rules_must_cover_every_table():
    assert work(doing("t1", "t2"), "t1", "t2")
    assert not work(doing("t1"), "t1", "t2")


def test_one_ignored_table_is_enough():
    assert not work(ignoring("t1"), "t2", "t1")
    assert work(ignoring("t1"), "t2", "t3")


@pytest.mark.parametrize("chosen", [doing("t1"), ignoring("t1")])
def test_an_empty_list_breaks_no_rule(chosen):
    assert chosen.passes(())


def test_a_rule_covers_its_table_and_no_other():
    chosen = doing("t")
    assert work(chosen, "t")
    assert not work(chosen, "t1")
    assert not chosen.passes((t("t", "other"),))
    assert not work(chosen, "T")


def test_the_swap_passes_by_both_names():
    assert rename(doing("t1", "t2"), "t1>tmp", "t2>t1", "tmp>t2")


def test_section_5():
    chosen = ignoring("t1")
    assert [create(chosen, "t1"), create(chosen, "t2", like="t1"), work(chosen, "t2")] == [False, False, True]
    both = ignoring("t1", "t2")
    assert [create(both, "t1"), create(both, "t2", like="t1"), work(both, "t2")] == [False, False, False]


@pytest.mark.parametrize("how", [{"like": "t1"}, {"sources": ("t1",)}, {"sources": ("t9", "t1")}])
def test_a_clever_filter_ignores_tables_created_from_an_ignored_table(how):
    chosen = ignoring("t1", tables="clever")
    assert not create(chosen, "t2", **how)
    assert not work(chosen, "t2")
    assert not create(chosen, "t3", like="t2"), "and so on"
    assert not work(chosen, "t3")
    assert work(chosen, "t4")


def test_a_clever_filter_with_do_rules():
    chosen = doing("t", tables="clever")
    assert not create(chosen, "t", like="other")
    assert not work(chosen, "t")
    assert work(doing("t"), "t")


def test_a_clever_filter_keeps_tables_created_from_others():
    chosen = ignoring("t1", tables="clever")
    assert create(chosen, "t2", like="t3")
    assert work(chosen, "t2")


def test_do_rules_and_create_like():
    chosen = doing("t")
    assert not create(chosen, "t", like="t1")
    assert work(chosen, "t")


def test_section_6_by_name():
    chosen = doing("t")
    assert rename(chosen, "t>s")
    assert not work(chosen, "s")
    assert not rename(chosen, "s>t")
    assert work(chosen, "t")


def test_section_6_by_identity():
    chosen = doing("t", renames="identity")
    assert rename(chosen, "t>s")
    assert work(chosen, "s")
    assert rename(chosen, "s>t")
    assert work(chosen, "t")
    assert not work(chosen, "s"), "a later table with that name is another table"


def test_identity_follows_a_swap():
    chosen = doing("t1", "t2", renames="identity")
    assert rename(chosen, "t1>tmp", "t2>t1", "tmp>t2")
    assert work(chosen, "t1")
    assert work(chosen, "t2")
    assert not work(chosen, "tmp")


def test_identity_follows_a_chain_over_several_statements():
    chosen = doing("a", renames="identity")
    assert all((rename(chosen, "a>b"), rename(chosen, "b>c"), work(chosen, "c")))
    assert not work(chosen, "b")


def test_section_6_with_a_list_of_renamings():
    chosen = doing("t", renames="list")
    assert rename(chosen, "t>s")
    assert not work(chosen, "s")
    assert rename(chosen, "s>t"), "the list gives its first name"
    assert work(chosen, "t")


def test_a_list_of_renamings_has_those_that_passed():
    chosen = doing("t", renames="list")
    assert not rename(chosen, "a>b")
    assert not rename(chosen, "b>a")
    assert all((rename(chosen, "t>s"), rename(chosen, "s>u"), rename(chosen, "u>t")))
    assert not rename(chosen, "s>v"), "it has been renamed back"


def test_a_renaming_passes_if_every_table_of_it_has_a_rule_under_its_first_name():
    chosen = doing("t", renames="list")
    assert rename(chosen, "t>s")
    assert not rename(chosen, "s>t", "a>b")


def test_a_list_of_renamings_needs_do_rules():
    with pytest.raises(ValueError, match="'list' needs do rules"):
        ignoring("t", renames="list")


def test_identity_with_ignore_rules():
    chosen = ignoring("t", renames="identity")
    assert not rename(chosen, "t>s")
    assert not work(chosen, "s")
    assert rename(chosen, "u>t"), "the list has only the old name"
    assert work(chosen, "t"), "which is now another table"


@pytest.mark.parametrize("ends", [drop, create])
def test_the_name_of_a_dropped_or_created_table_is_free_for_another(ends):
    chosen = doing("t", renames="identity")
    rename(chosen, "t>s")
    assert work(chosen, "s")
    ends(chosen, "s")
    assert not work(chosen, "s")


def test_the_modes_clever_and_identity_work_together():
    chosen = ignoring("t1", tables="clever", renames="identity")
    assert not create(chosen, "t2", like="t1")
    assert not rename(chosen, "t2>t5")
    assert not work(chosen, "t5")


def test_databases_have_rules():
    chosen = TableFilter(FilterRules(ignore_databases=frozenset({"other"})))
    assert not chosen.passes((t("t", "other"),))
    assert not chosen.passes((TableName("other", ""),))
    assert work(chosen, "t")
    chosen = TableFilter(FilterRules(do_databases=frozenset({"other"}), do_tables=frozenset({t("t1")})))
    assert chosen.passes((t("t", "other"), t("t1"), TableName("test", "")))
    assert not work(chosen, "t")
    assert not chosen.passes((TableName("third", ""),))


@pytest.mark.parametrize("other", [{"ignore_tables": frozenset({t("b")})}, {"ignore_databases": frozenset({"d"})}])
def test_do_and_ignore_rules_exclude_each_other(other):
    with pytest.raises(ValueError, match="give only one kind"):
        FilterRules(do_tables=frozenset({t("a")}), **other)


def test_a_rule_for_a_nameless_table_is_refused():
    with pytest.raises(ValueError, match="'d' is a database, not a table"):
        FilterRules(do_tables=frozenset({TableName("d", "")}))


@pytest.mark.parametrize(("name", "word"), [("tables", "smart"), ("renames", "both")])
def test_an_unknown_mode_is_refused(name, word):
    with pytest.raises(ValueError, match=f"'{word}' is not a valid mode for {name}"):
        doing("t", **{name: word})


def test_an_uncertain_statement_is_judged_by_what_it_mentions():
    uncertain = FilteredStatement(certain=False, mentioned=(t("x"), t("t1")))
    assert not ignoring("t1").passes_uncertain(uncertain)
    assert ignoring("t2").passes_uncertain(uncertain)
    assert doing("t1").passes_uncertain(uncertain)
    assert not doing("t2").passes_uncertain(uncertain)
