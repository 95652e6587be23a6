"""The nouns: plain values that every room may use; imports nothing of ours."""
