"""Code that the presets on the lecture about error estimation (zelezny2011) share."""
