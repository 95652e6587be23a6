"""Style sheets: URLs, colors, fonts, size."""
