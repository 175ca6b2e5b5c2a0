"""The mechanisms of Wang (2020), chapter 2, on sums of bounded records, and randomised response."""
