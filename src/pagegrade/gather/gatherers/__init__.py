"""One file per artifact."""
