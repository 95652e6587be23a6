"""Audits of whole sites."""
