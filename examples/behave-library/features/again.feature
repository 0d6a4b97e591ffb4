Feature: Late again

  Scenario: Borrowing
    Given the book "The Sea" of 1931
    # a comment between steps
    And the staff member Eve
    When Eve borrows "The Sea"
    Then it is due on 2024-04-01

  Scenario: Borrowing
    Given the book "Quiet" of 1999
    And the adult member Ann
    When Ann borrows "Quiet"
    Then "Quiet" is not available
