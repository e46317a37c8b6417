"""Changes of the kit's own code, made by a machine, and what notices them: its tests, or its verdicts."""
