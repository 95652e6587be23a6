"""Pages about audits of sites."""
