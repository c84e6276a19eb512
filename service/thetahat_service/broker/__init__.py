"""Sending messages to the workers through Redis or Valkey."""
