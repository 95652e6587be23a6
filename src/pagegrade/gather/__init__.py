"""A URL -> artifacts; the only room that opens connections."""
