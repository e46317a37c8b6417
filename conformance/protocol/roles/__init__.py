"""The roles: the questions that an implementation can answer, a module for each, named like the role."""
