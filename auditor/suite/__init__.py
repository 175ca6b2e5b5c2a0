"""The audit of the catalogue: plan, run, conclude, store, report."""
