"""HTTP/1.1 server: hardened protocol, limits, listening."""
