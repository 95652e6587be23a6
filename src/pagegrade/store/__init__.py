"""Accounts, reports and runs in tables: the only package that accesses the database."""
