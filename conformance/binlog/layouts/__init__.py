"""The layouts of the events: what each event type holds, one module for each kind of event."""
