@desk
Feature: Hours of the desk

  Background:
    Given the book "The Sea" of 1931
    And the adult member Ann

  @closed
  Scenario: A closed desk does not lend
    When Ann borrows "The Sea"
    Then it is refused because "the desk is closed"
    And "The Sea" is available
    And the desk is closed

  @closed
  Scenario: What the desk refuses ends the day
    When a day ends because "The Sea" is lent twice to Ann
    Then the desk is closed
    And "The Sea" is not available
    And the desk counted 1 loans and 0 returns

  @closed
  Scenario: Other faults are heard of
    When a day ends because of a fault
    Then it is refused because "no light"
    And the desk is closed

  @fixture.sunday @smoke
  Scenario: The calendar of these features
    Then today the library reckons from 2024-03-03
