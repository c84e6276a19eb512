"""Result files of evaluation tools, each of which is known by its content."""
