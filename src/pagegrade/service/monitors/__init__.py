"""Monitors: validation, schedules, what an account does with its own, and the queueing of due runs.

What a run says of them (budgets that are breached, a score that falls) is decided in ``pagegrade.report.gates``.
"""
