"""JSON documents of the API, one module per object: its description, the answers around it, and what builds it.

Tests hold description and JSON together. ``shape`` has what descriptions are declared with, ``envelope`` what answers
have around their data, ``results`` what reports and runs have in common.
"""
