"""What is asked about a finished stream, one module for each role."""
