"""Pages of the signed-in account: profile, keys, sign-in."""
