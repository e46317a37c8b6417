"""A conformance kit for implementations that read, track, filter, print, apply or write MySQL binary logs."""

__version__ = "0.1.0"
