"""How a statement is logged: what engines can handle, and the decision tables of WL#3303 and of the shipped servers.

Pure tables and functions, without any bytes.
"""
