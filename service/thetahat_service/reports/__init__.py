"""Reports of evaluations for reading, printing and signing; knows no HTTP and reads no database."""
