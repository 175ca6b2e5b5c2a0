"""How every algorithm of the heavy-tailed family is audited, one file each."""
