"""One pydantic model for each persisted file; nothing else lives here."""
