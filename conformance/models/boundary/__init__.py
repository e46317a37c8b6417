"""Transaction boundaries: the markers, the parser and the guesses of WL#4162, and the parser that servers ship."""
