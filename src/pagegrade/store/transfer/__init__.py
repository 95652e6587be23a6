"""Move an installation from SQLite to PostgreSQL."""
