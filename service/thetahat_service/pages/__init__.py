"""Pages for people: what each page shows, and the templates that show it; without HTTP."""
