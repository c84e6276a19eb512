"""How often tests, verdicts and plans err: a study of all of the library's, by simulation."""
