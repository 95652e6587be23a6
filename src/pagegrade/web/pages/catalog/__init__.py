"""Public reference pages: checks, API documentation, problem types."""
