"""Small frozen values that all of the library uses: types, layouts, losses by block, moments."""
