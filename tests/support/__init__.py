"""What tests of several rooms share: a tiny behave project, and its runtime on the interpreter that runs the tests."""
