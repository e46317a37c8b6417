"""What must hold: the requirement catalogue, the profiles it speaks of, and the published JSON Schemas.

This package imports nothing else of the kit.
"""
