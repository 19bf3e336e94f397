"""From Python: studies as functions, and what they return."""
