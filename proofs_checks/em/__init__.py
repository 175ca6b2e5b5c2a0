"""Parts of expectation maximisation shared by paper 000 and section 7.2 of paper 004."""
