"""The questions of an audit, one module each."""
