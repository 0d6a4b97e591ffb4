"""Looking for what agents must not find: folders walked, archives opened in memory, history and links named.

What is looked for is each benchmark's own. Nothing is extracted to disk, loaded or run, and links are not followed.
"""
