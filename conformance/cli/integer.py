"""Integers as options take them."""

import click


class Integer(click.IntRange):
    """An integer between bounds, which errors and helps name as an integer."""

    name = "integer"
