"""Is there something to read, and can it be shared?"""
