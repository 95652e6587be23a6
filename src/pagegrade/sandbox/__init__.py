"""Child processes that parse and evaluate untrusted bytes: pool, worker, codec."""
