"""The protocol: the words between the kit and an implementation under test."""
