"""Both parsers over whole batches: columns of events in, columns of states, boundary types and warnings out.

An event is one of a few symbols, and a symbol maps each of a parser's few states to a state. Many short streams are
stepped in parallel; a long stream is cut into blocks, whose maps are composed first and then applied. The maps come
from the same tables as the readable parsers. Needs NumPy, which is imported on first use.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import isqrt
from typing import TYPE_CHECKING, Final

from conformance.binlog.flags import Flag
from conformance.models.boundary.boundary_type import MARKER_BITS, WITHIN_TRANSACTION, BoundaryType, MarkerBits
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.guess import Standing, guessed_row, is_begin, standing_of
from conformance.models.boundary.query_text_class import TEXTS, text_class
from conformance.models.boundary.shipped_parser import shipped_type
from conformance.models.boundary.shipped_tables import CELLS, ShippedState, ShippedType, ShippedVersion
from conformance.models.boundary.transition_table import StepOutcome, cell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Flags = NDArray[np.uint16]
    Bools = NDArray[np.bool_]

_IGNORE: Final = BoundaryType.IGNORE_BOUNDARY
_TYPE_CODES: Final = 256


@dataclass(frozen=True, slots=True, eq=False)
class EventColumns:
    """Events as columns: one-dimensional for a sequence of events, or of the shape (streams, events).

    Attributes:
        types: Event type codes.
        flags: Flags words.
        texts: Classes of the statements, indices into `query_text_class.TEXTS`.
    """

    types: "Bytes"
    flags: "Flags"
    texts: "Bytes"

    @classmethod
    def of(cls, events: Iterable[FedEvent]) -> "EventColumns":
        """Return the columns of a sequence of events."""
        import numpy as np

        rows = [(each.type, each.flags, text_class(each.query)) for each in events]
        types, flags, texts = np.array(rows, dtype=np.uint16).reshape(-1, 3).T
        return cls(types.astype(np.uint8), flags.copy(), texts.astype(np.uint8))


@dataclass(frozen=True, slots=True, eq=False)
class _Machine:
    """A parser as tables.

    Attributes:
        symbols: Type code, ignorable, artificial, text class -> the symbol of an event.
        steps: Symbol and state -> next state.
        types: Symbol and state -> boundary type that the parser uses.
        errors: Symbol and state -> whether the step is wrong.
        shown: State -> the value that is reported for it.
        initial: The state of a parser after a reset.
    """

    symbols: "Bytes"
    steps: "Bytes"
    types: "Bytes"
    errors: "Bools"
    shown: "Bytes"
    initial: int


@dataclass(frozen=True, slots=True, eq=False)
class ParsedColumns:
    """What a parser did with each event, in the shape of the events.

    Attributes:
        boundary_types: For the worklog's parser the number of the `BoundaryType` that it used, for a shipped one
            the value of the `ShippedType`.
        before: The state before the event: the number of the `BoundaryType`, or the value of the `ShippedState`.
        states: The state after the event, likewise.
        errors: Whether the step is wrong.
    """

    boundary_types: "Bytes"
    before: "Bytes"
    states: "Bytes"
    errors: "Bools"


def parse_worklog(
    columns: EventColumns, *, starts: Iterable[int] | None = None, bits: MarkerBits = MARKER_BITS
) -> ParsedColumns:
    """Run the worklog's parser over columns of events.

    Args:
        columns: The events. Two-dimensional columns hold a stream in each row; the parser is reset before each.
        starts: For one-dimensional columns, the indices at which a new stream begins; None: only at 0.
        bits: The place of the marker in the flags word.
    """
    import numpy as np

    machine = _worklog_machine()
    markers = (columns.flags >> bits.shift) & 0b111
    begin = _begins()[columns.types, columns.texts].astype(np.uint8)
    marked = (markers > 0) & (markers <= max(BoundaryType))
    symbols = np.where(marked, (markers - 1) * 2 + begin, _symbols(machine, columns)).astype(np.uint8)
    return _run(machine, symbols, starts)


def parse_shipped(
    columns: EventColumns, version: ShippedVersion, *, starts: Iterable[int] | None = None
) -> ParsedColumns:
    """Run the receiver's parser of a shipped version over columns of events; see `parse_worklog`."""
    machine = _shipped_machine(version)
    return _run(machine, _symbols(machine, columns), starts)


def _symbols(machine: _Machine, columns: EventColumns) -> "Bytes":
    ignorable = (columns.flags & int(Flag.IGNORABLE)) != 0
    artificial = (columns.flags & int(Flag.ARTIFICIAL)) != 0
    symbols: Bytes = machine.symbols[columns.types, ignorable.astype(int), artificial.astype(int), columns.texts]
    return symbols


def _run(machine: _Machine, symbols: "Bytes", starts: Iterable[int] | None) -> ParsedColumns:
    if symbols.ndim == 2:
        if starts is not None:
            raise ValueError("two-dimensional columns hold a stream in each row; give no other starts")
        before = _in_parallel(machine.steps, symbols, machine.initial)
    else:
        before = _in_blocks(machine, symbols, [0] if starts is None else list(starts))
    return ParsedColumns(
        machine.types[symbols, before],
        machine.shown[before],
        machine.shown[machine.steps[symbols, before]],
        machine.errors[symbols, before],
    )


def _in_parallel(steps: "Bytes", symbols: "Bytes", initial: "int | Bytes") -> "Bytes":
    """Return the state before each event, stepping all rows in parallel."""
    import numpy as np

    before = np.empty(symbols.shape, dtype=np.uint8)
    state = np.full(symbols.shape[0], initial, dtype=np.uint8)
    for index in range(symbols.shape[1]):
        before[:, index] = state
        state = steps[symbols[:, index], state]
    return before


def _in_blocks(machine: _Machine, symbols: "Bytes", starts: list[int]) -> "Bytes":
    """Return the state before each event of a sequence, reset before each start.

    A sequence of n events is cut into about sqrt(n) blocks. The map of each block is the composition of its events'
    maps; they give the state before each block, and the blocks are then stepped in parallel.
    """
    import numpy as np

    count = len(symbols)
    if not count:
        return np.empty(0, dtype=np.uint8)
    # The first event of a stream has a separate symbol, whose map ignores the state.
    alphabet, states = machine.steps.shape
    steps = np.concatenate([machine.steps, np.repeat(machine.steps[:, [machine.initial]], states, axis=1)])
    first = np.zeros(count, dtype=bool)
    first[starts] = True
    size = isqrt(count - 1) + 1
    blocks = np.resize(symbols + np.where(first, alphabet, 0).astype(np.uint8), (-(-count // size), size))
    maps = np.tile(np.arange(states, dtype=np.uint8), (len(blocks), 1))
    for index in range(size):
        maps = np.take_along_axis(steps[blocks[:, index]], maps, axis=1)
    entering = np.empty(len(blocks), dtype=np.uint8)
    state = machine.initial
    for index, each in enumerate(maps):
        entering[index] = state
        state = int(each[state])
    before = _in_parallel(steps, blocks, entering).ravel()[:count]
    before[first] = machine.initial
    return before


#: The states of the worklog's parser, and whether the open transaction has a BEGIN.
_STATES: Final = tuple(
    (state, begun)
    for state in BoundaryType
    if state is not _IGNORE
    for begun in ((False, True) if state in WITHIN_TRANSACTION else (False,))
)


def _worklog_alphabet() -> list[tuple[tuple[BoundaryType, ...], bool]]:
    """Return the symbols, marked ones first: boundary type for each standing, and whether the event is a BEGIN."""
    markers = [each for each in BoundaryType if each]
    alphabet = [((marker,) * len(Standing), begin) for marker in markers for begin in (False, True)]
    return list(dict.fromkeys([*alphabet, *_unmarked_symbols().values()]))


@cache
def _unmarked_symbols() -> dict[tuple[int, ...], tuple[tuple[BoundaryType, ...], bool]]:
    """Return the symbol of each unmarked event: index into the table of symbols -> symbol."""
    return {
        place: (tuple(guessed_row(event, standing).boundary_type for standing in Standing), is_begin(event))
        for place, event in _every_event()
    }


def _every_event() -> Iterable[tuple[tuple[int, ...], FedEvent]]:
    """Yield every event that a parser distinguishes, without markers, with its index into a table of symbols."""
    for code, ignorable, artificial, text in product(range(_TYPE_CODES), (0, 1), (0, 1), range(len(TEXTS))):
        flags = ignorable * int(Flag.IGNORABLE) | artificial * int(Flag.ARTIFICIAL)
        yield (code, ignorable, artificial, text), FedEvent(code, flags, TEXTS[text])


@cache
def _begins() -> "Bytes":
    """Return the table of type code and text class -> whether the event is a BEGIN."""
    import numpy as np

    return np.array(
        [[is_begin(FedEvent(code, 0, text)) for text in TEXTS] for code in range(_TYPE_CODES)], dtype=np.uint8
    )


@cache
def _worklog_machine() -> _Machine:
    import numpy as np

    alphabet = _worklog_alphabet()
    symbols = np.zeros((_TYPE_CODES, 2, 2, len(TEXTS)), dtype=np.uint8)
    for place, symbol in _unmarked_symbols().items():
        symbols[place] = alphabet.index(symbol)
    shape = (len(alphabet), len(_STATES))
    steps, types = np.zeros(shape, dtype=np.uint8), np.zeros(shape, dtype=np.uint8)
    errors = np.zeros(shape, dtype=bool)
    standings = {standing: index for index, standing in enumerate(Standing)}
    for (row, (by_standing, begin)), (column, (state, begun)) in product(enumerate(alphabet), enumerate(_STATES)):
        fed = by_standing[standings[standing_of(state, begun)]]
        types[row, column] = fed
        if fed is _IGNORE:
            steps[row, column] = column
            continue
        used = cell(state, fed)
        errors[row, column] = used.outcome is StepOutcome.ERR
        after = used.after
        steps[row, column] = _STATES.index((after, after in WITHIN_TRANSACTION and (begin or begun)))
    shown = np.array([state for state, _ in _STATES], dtype=np.uint8)
    return _Machine(symbols, steps, types, errors, shown, _STATES.index((BoundaryType.NOT_DEFINED, False)))


@cache
def _shipped_machine(version: ShippedVersion) -> _Machine:
    import numpy as np

    kinds, states = list(ShippedType), list(ShippedState)
    symbols = np.zeros((_TYPE_CODES, 2, 2, len(TEXTS)), dtype=np.uint8)
    for place, event in _every_event():
        symbols[place] = kinds.index(shipped_type(event, version))
    steps = np.array([[states.index(CELLS[state, kind].state) for state in states] for kind in kinds], dtype=np.uint8)
    types = np.array([[kind.value] * len(states) for kind in kinds], dtype=np.uint8)
    errors = np.array([[CELLS[state, kind].error for state in states] for kind in kinds])
    shown = np.array([state.value for state in states], dtype=np.uint8)
    return _Machine(symbols, steps, types, errors, shown, states.index(ShippedState.NONE))
