"""Predicted probabilities: whether they come true, and which of two models has the better ones.

Probabilities of one event are compared with its outcomes on the same rows. Of two classes the event
is the second class, of more classes that the most probable class is the right one, and one class
against the rest on request.
"""
