"""How a statement is logged: the engines' capabilities, and the decision tables of WL#3303 and of shipped servers.

Pure tables and functions, without any bytes.
"""
