"""Adapters: stand-alone scripts that connect decoders to the protocol; they import nothing of the kit."""
