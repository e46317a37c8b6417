"""The mutants of the role `decode`, one module for each subject."""
