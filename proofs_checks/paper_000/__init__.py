"""The numbered statements of the paper ``000`` of :data:`reference.catalogue.PAPERS`."""
