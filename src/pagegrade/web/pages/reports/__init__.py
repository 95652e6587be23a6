"""Pages of reports: list, report, comparison, settings, exports."""
