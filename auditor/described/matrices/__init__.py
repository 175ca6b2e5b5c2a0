"""How the matrix family (Wang (2020), chapter 6) is audited."""
