"""Families of valid streams."""
