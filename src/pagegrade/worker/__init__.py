"""Takes runs from the queue, analyses, writes down; survives kill -9."""
