"""How a server with WL#4162 marks what it logs: by the model of `conformance.models.boundary`, unit by unit."""

from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.marking import boundary_types
from conformance.models.server.logged_event import Unit


def boundaries_of(unit: Unit) -> list[BoundaryType]:
    """Return the boundary type of each event of a unit."""
    return boundary_types([FedEvent(int(event.type), event.flags, event.fields.get("query")) for event in unit.events])
