"""The self-check: how many machine-made wrong implementations the kit notices, and whom it blames."""
