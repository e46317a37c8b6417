"""Streams of events, valid and faulty, from one grammar that several choosers drive."""
