"""What a project is: its definition, its snapshot, its environment, and how a definition is made for a new checkout."""
