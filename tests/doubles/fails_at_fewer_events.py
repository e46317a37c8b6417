"""A reader that is wrong about texts, and fails at streams of fewer events than the first one has."""

from dataclasses import replace

from conformance.reference.implementation import ReferenceImplementation


class FailsAtFewerEvents(ReferenceImplementation):
    """Cuts the texts of Rows_query events, and answers streams of fewer events than the first one by trouble.

    Args:
        trouble: What comes in the place of these answers.
    """

    def __init__(self, trouble):
        super().__init__()
        self._trouble = trouble
        self._first = None

    def ask(self, request):
        answer = super().ask(request)
        self._first = self._first or len(answer.events)
        if len(answer.events) < self._first:
            return self._trouble
        cut = [e | {"rows_query": e["rows_query"][:-1]} if e.get("rows_query") else e for e in answer.events]
        return replace(answer, events=tuple(cut))
