Feature: Reservations

  Background:
    Given the book "The Sea" of 1931
    And the adult member Ann
    And the adult member Bob
    And the child member Cid

  Scenario: Queueing
    Given Ann borrowed "The Sea" 3 days ago
    Then nobody waits for "The Sea"
    When Bob reserves "The Sea"
    And Cid reserves "The Sea"
    Then place 2 in the queue is theirs
    And Bob and Cid wait for "The Sea"
    When Bob reserves "The Sea"
    Then it is refused because "Bob has reserved The Sea already"

  Scenario: Only the first may borrow
    When Bob reserves "The Sea"
    And Ann borrows "The Sea"
    Then it is refused because "The Sea is reserved"

  Scenario: The first borrows
    When Bob reserves "The Sea"
    And Cid reserves "The Sea"
    And Bob borrows "The Sea"
    Then it is due on 2024-04-01
    And Cid wait for "The Sea"

  Scenario: Keeping what is reserved
    Given Ann borrowed "The Sea" 3 days ago
    When Bob reserves "The Sea"
    And "The Sea" is kept 7 days longer
    Then it is refused because "The Sea is reserved"
