"""Oracles: each judges an observation by one requirement of the catalogue."""
