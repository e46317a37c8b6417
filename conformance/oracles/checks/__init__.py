"""The kinds of check that oracles are made of."""
