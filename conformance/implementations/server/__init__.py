"""Real servers as implementations: each question is answered by what a server does."""
