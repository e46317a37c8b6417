"""Tables info and filtering (WL#40): which tables a statement has, and which events of a log pass a filter's rules."""
