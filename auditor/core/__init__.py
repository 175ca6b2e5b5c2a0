"""Shared by all rooms: verdicts, contexts, errors, cases, neighbours, witnesses."""
