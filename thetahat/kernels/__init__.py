"""The few loops that numpy cannot carry, each compiled at its first use; numpy twins stand beside."""
