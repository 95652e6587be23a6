"""Sites with known truth: made from a seed, served on loopback, and described as relations."""
