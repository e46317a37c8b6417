"""Implementations in processes of their own, kept within limits on time, memory and output."""
