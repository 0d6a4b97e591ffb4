"""Tests of the projects room."""
