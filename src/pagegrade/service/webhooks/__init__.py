"""Webhooks and messages: settings of an account, payloads, signatures, and the attempts to deliver."""
