"""How far raters of the same items agree."""
