"""Tables, transactions, one repository per table, and the file store."""
