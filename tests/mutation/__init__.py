"""Mutation: a rule is taken out of a referee, and the tests of that referee must notice."""
