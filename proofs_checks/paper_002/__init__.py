"""The numbered statements of the paper ``002`` of :data:`reference.catalogue.PAPERS`."""
