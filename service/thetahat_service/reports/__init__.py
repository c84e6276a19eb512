"""Reports of evaluations for reading, printing and signing; knows no HTTP and no database."""
