"""Domain types: plain values that every package may use; imports nothing of ours."""
