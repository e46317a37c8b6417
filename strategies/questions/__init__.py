"""Questions about a finished stream or scenario, one module for each role."""
