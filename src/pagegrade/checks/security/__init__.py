"""Is the visitor safe on the page?"""
