"""JSON documents of the API, one module per object: the struct that is encoded and described, and what builds it.

Begin with ``monitor``. ``envelope`` has what answers have around their data, ``results`` the pieces of JSON that
reports and runs have in common. The parts of a report are declared below ``pagegrade.model``.
"""
