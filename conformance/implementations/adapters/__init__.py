"""Adapters: stand-alone scripts that put the protocol in front of decoders; they import nothing of the kit."""
