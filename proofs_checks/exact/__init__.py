"""Statements of this project about the exact ledger, :mod:`reference.privacy.exact`."""
