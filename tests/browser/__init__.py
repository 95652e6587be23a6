"""Every page in real Chromium: how it looks, how it is used, and that nothing hostile gets to act."""
