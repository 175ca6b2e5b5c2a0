"""Transcripts recorded on one data set and replayed on its neighbour."""
