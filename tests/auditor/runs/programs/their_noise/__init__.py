"""A third party's package: noise of functions and of objects, and what is computed with it."""
