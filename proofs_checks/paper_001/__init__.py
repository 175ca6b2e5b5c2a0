"""The numbered statements of the paper ``001`` of :data:`reference.catalogue.PAPERS`."""
