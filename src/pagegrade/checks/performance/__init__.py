"""Checks of the bytes and requests that loading the page takes."""
