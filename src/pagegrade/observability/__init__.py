"""Log lines, counted events and traces."""
