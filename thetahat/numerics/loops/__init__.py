"""The few loops that numpy cannot carry, compiled at their first use; numpy twins stand beside."""
