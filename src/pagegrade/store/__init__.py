"""Accounts, reports and runs in tables. The only room that knows the database."""
