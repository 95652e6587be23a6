"""Use cases of accounts: keys, passwords, sessions, sign-in limits."""
