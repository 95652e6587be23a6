"""Facts and metrics from what a browser recorded while it loaded a page."""
