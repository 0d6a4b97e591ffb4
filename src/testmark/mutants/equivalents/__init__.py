"""Edits that change no behaviour: where they may stand, what they look like, and how one is drawn."""
