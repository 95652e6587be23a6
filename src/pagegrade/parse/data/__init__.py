"""Generated and curated tables with their sources."""
