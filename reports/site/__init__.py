"""The site of kept runs: static pages that need no server, and nothing from elsewhere."""
