"""The roles: what an implementation can be asked, one module for each, by the name of the role."""
