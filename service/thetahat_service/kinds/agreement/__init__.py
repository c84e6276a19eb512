"""Kind ``agreement``: how far raters of the same items agree."""
