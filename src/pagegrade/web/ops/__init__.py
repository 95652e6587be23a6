"""Endpoints for operators: health and metrics."""
