"""The study of how often each interval covers the truth: settings, repetitions, tables, claims."""
