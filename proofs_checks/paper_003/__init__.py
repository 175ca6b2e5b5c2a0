"""The numbered statements of the paper ``003`` of :data:`reference.catalogue.PAPERS`."""
