"""Changes of one place in the syntax tree of a module, also those that cosmic-ray does not make.

A statement is left out, an entry of a table or an operand of a condition is missing, a condition always or never holds,
a bound moves by one. A change is made in the tree and taken back, so a process that is forked between has it compiled.
"""

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

_COMPARED: Final[Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_COMPUTED: Final[Mapping[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
#: Methods without which a text is compared as it is.
_SPELLING: Final = frozenset({"upper", "lower", "strip", "lstrip", "rstrip"})


class Change(NamedTuple):
    """A change of one node.

    Attributes:
        node: The node.
        words: What is changed.
        fields: The new values of its fields; empty if another node is in its place.
        other: The node in its place.
    """

    node: ast.AST
    words: str
    fields: Mapping[str, Any]
    other: ast.AST | None = None

    @property
    def line(self) -> int:
        """The line of the node in the module."""
        return getattr(self.node, "lineno", 0)


def changes(tree: ast.Module) -> Iterator[Change]:
    """Yield every change of a module's tree, but for its annotations, its words and what runs it as a program."""
    left_out = {id(each) for node in ast.walk(tree) for part in _not_behaviour(node) for each in ast.walk(part)}
    for node in [each for each in ast.walk(tree) if id(each) not in left_out]:
        yield from _of_node(node)


@contextmanager
def changed(tree: ast.Module, change: Change) -> Iterator[ast.Module]:
    """Make a change in a tree, and take it back at the end."""
    where = None if change.other is None else _place_of(tree, change.node)
    kept = {name: getattr(change.node, name) for name in change.fields}
    try:
        if where is not None:
            _put(*where, change.other)
        for name, value in change.fields.items():
            setattr(change.node, name, value)
        yield ast.fix_missing_locations(tree)
    finally:
        for name, value in kept.items():
            setattr(change.node, name, value)
        if where is not None:
            _put(*where, change.node)


def _put(owner: ast.AST, name: str, place: int | None, node: ast.AST | None) -> None:
    if place is None:
        setattr(owner, name, node)
    else:
        getattr(owner, name)[place] = node


def _place_of(tree: ast.Module, node: ast.AST) -> tuple[ast.AST, str, int | None]:
    """Return what holds a node: the owner, the field, and the index in it if it is a list."""
    for owner in ast.walk(tree):
        for name, value in ast.iter_fields(owner):
            if value is node:
                return owner, name, None
            if isinstance(value, list):
                for place, each in enumerate(value):
                    if each is node:
                        return owner, name, place
    raise LookupError(f"the tree does not have {ast.dump(node)}")


def _not_behaviour(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that are types, words for people, or the call that runs a program."""
    if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
        yield node.annotation
    if isinstance(node, ast.FunctionDef) and node.returns is not None:
        yield node.returns
    if isinstance(node, ast.If) and "__main__" in ast.dump(node.test):
        yield node
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node
    if isinstance(node, ast.Raise) and node.exc is not None:
        yield node.exc


def _of_node(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(ops=[operator]):
            for other in _COMPARED[type(operator)]:
                yield Change(node, f"{other.__name__} for {type(operator).__name__}", {"ops": [other()]})
        case ast.BinOp(op=operator) if type(operator) in _COMPUTED:
            computed = _COMPUTED[type(operator)]
            yield Change(node, f"{computed.__name__} for {type(operator).__name__}", {"op": computed()})
        case ast.BoolOp(op=operator, values=values):
            for place, value in enumerate(values):
                rest = [*values[:place], *values[place + 1 :]]
                other = rest[0] if len(rest) == 1 else ast.BoolOp(operator, rest)
                yield Change(node, f"without {ast.unparse(value)}", {}, other)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield Change(node, "without not", {}, operand)
        case ast.IfExp(body=body, orelse=orelse):
            yield Change(node, "always the first", {}, body)
            yield Change(node, "always the second", {}, orelse)
        case ast.If():
            for is_met in (True, False):
                yield Change(node, f"if {is_met}", {"test": ast.Constant(is_met)})
        case ast.Call(func=ast.Attribute(value=text, attr=name)) if name in _SPELLING:
            yield Change(node, f"without {name}()", {}, text)
        case _:
            yield from _of_values(node)


def _of_values(node: ast.AST) -> Iterator[Change]:
    """Yield the changes of constants, tables, slices and statements."""
    match node:
        case ast.Constant(value=bool(value)):
            yield Change(node, f"{not value}", {"value": not value})
        case ast.Constant(value=int(value)):
            yield from (Change(node, f"{value + step}", {"value": value + step}) for step in (1, -1))
        case (
            ast.Set(elts=elements) | ast.List(elts=elements, ctx=ast.Load()) | ast.Tuple(elts=elements, ctx=ast.Load())
        ) if len(elements) > 1:
            for place, each in enumerate(elements):
                yield Change(
                    node, f"without {ast.unparse(each)}", {"elts": [*elements[:place], *elements[place + 1 :]]}
                )
        case ast.Dict(keys=keys, values=values) if len(keys) > 1:
            for place, key in enumerate(keys):
                rest = {"keys": [*keys[:place], *keys[place + 1 :]], "values": [*values[:place], *values[place + 1 :]]}
                yield Change(node, f"without {'**' if key is None else ast.unparse(key)}", rest)
        case ast.Slice(lower=lower, upper=upper):
            if lower is not None:
                yield Change(node, "from the start", {"lower": None})
            if upper is not None:
                yield Change(node, "to the end", {"upper": None})
        case ast.Assign() | ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield Change(node, "left out", {}, ast.Pass())
        case ast.Continue():
            yield Change(node, "break", {}, ast.Break())
