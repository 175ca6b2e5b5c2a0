"""The numbered statements of the paper ``004`` of :data:`reference.catalogue.PAPERS`."""
