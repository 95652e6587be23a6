"""OpenAPI 3.1 description, generated from the table of operations."""
