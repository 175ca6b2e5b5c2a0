"""Conformance vectors: what an implementation in any language must compute from given draws.

``vectors/README.md`` describes the files for those who read them; here they are made from the
reference, checked against it, and put to other programs.
"""
