"""The grammar: who chooses, what a family, a stream and a case are, and how a case is shrunk."""
