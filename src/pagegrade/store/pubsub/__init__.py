"""Notifications between processes over PostgreSQL LISTEN and NOTIFY."""
