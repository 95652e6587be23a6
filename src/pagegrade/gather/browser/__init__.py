"""The rendered engine: one fresh, isolated Chromium for each run, driven over a pipe."""
