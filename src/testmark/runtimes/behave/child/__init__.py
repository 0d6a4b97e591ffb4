"""What runs inside the project's own interpreter: Python 3.9-3.14, the standard library and behave, nothing else.

These modules are mounted into the sandbox as plain files and import each other by bare name; nothing of testmark
outside this folder exists there.
"""
