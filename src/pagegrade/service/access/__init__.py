"""Access profiles: encryption of their secrets, and what an account does with its own."""
