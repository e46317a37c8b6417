"""The requirement catalogue, the profiles that it names, and the published JSON Schemas.

This package imports nothing else of the kit.
"""
