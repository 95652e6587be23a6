"""Monitors: validation, schedules, what an account does with its own, and the queueing of due runs."""
