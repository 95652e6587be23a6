"""HTTP header fields, cookies, policies and certificates."""
