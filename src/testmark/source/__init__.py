"""Reading programs and requirements: Gherkin, declarations, bodies. Nothing here runs a project's code."""
