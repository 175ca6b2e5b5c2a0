"""Data sets, pairs of neighbours and domains that cases share, one module per problem."""
