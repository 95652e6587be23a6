"""Share pages."""
