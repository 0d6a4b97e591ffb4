Feature: Lending
  In order to read at home
  As a member
  I want to borrow

  Background:
    Given a catalogue with
      | kind      | title   | creator | year | subjects |
      | book      | The Sea | Woolf   | 1931 | water    |
      | magazine  | Sailing | Club    | 1995 | water    |
      | recording | Waves   | Hill    | 1972 | water    |
    And the adult member Ann
    And the child member Bob

  Scenario: Borrowing
    When Ann borrows "The Sea"
    Then it is due on 2024-04-01
    And "The Sea" is not available
    And "Sailing" is available
    And the desk is open
    And the desk counted 1 loans and 0 returns

  Scenario: Borrowing what is lent
    Given Bob borrowed "The Sea" 3 days ago
    When Ann borrows "The Sea"
    Then it is refused because "The Sea is lent"
    And the desk counted 1 loans and 0 returns
    When Ann borrows a book from elsewhere
    Then it is refused because "Elsewhere is not in the catalogue"

  Scenario: Bringing back in time
    Given Ann borrowed "The Sea" 28 days ago
    When "The Sea" comes back
    Then the fine is 0.00
    And "The Sea" is available
    And Ann now owes 0.00

  Scenario: The list of loans is a copy
    Given Ann borrowed "The Sea" 3 days ago
    When someone crosses out the list of loans of Ann
    Then Ann has "The Sea" at home

  Scenario Outline: Fines
    Given <name> borrowed "<title>" <days> days ago
    When "<title>" comes back
    Then the fine is <fine>
    And <name> now owes <fine>

    Examples: adults pay
      | name | title   | days | fine |
      | Ann  | The Sea | 29   | 0.00 |
      | Ann  | The Sea | 30   | 0.10 |
      | Ann  | Sailing | 12   | 0.20 |
      | Ann  | The Sea | 99   | 5.00 |

    @children
    Examples: children do not
      | name | title   | days | fine |
      | Bob  | The Sea | 99   | 0.00 |

  Scenario: Bringing back what was not lent
    When "The Sea" comes back
    Then it is refused because "The Sea was not lent"

  Scenario: Too much owed
    Given Ann owes 10.00
    When Ann borrows "The Sea"
    Then it is refused because "Ann may not borrow"

  Scenario: As many as a child may have
    Given the book "One" of 2001
    And the book "Two" of 2002
    And Bob borrowed "The Sea" 1 days ago
    And Bob borrowed "One" 1 days ago
    When Bob borrows "Two"
    Then it is due on 2024-04-01
    When Bob borrows "Waves"
    Then it is refused because "Bob may not borrow"

  Scenario: There and back in one step
    When Ann takes "The Sea" home and brings it back late
    Then the fine is 1.10
    And the desk counted 1 loans and 1 returns

  Scenario Outline: Keeping it longer
    Given Ann borrowed "<title>" <ago> days ago
    When "<title>" is kept <days> days longer
    Then it is due on <due>

    Examples:
      | title   | ago | days | due        |
      | The Sea | 10  | 7    | 2024-03-29 |
      | Sailing | 7   | 1    | 2024-03-05 |

  Scenario: Keeping what is late or nowhere
    When "Waves" is kept 7 days longer
    Then it is refused because "Waves was not lent"
    Given Ann borrowed "Sailing" 8 days ago
    When "Sailing" is kept 7 days longer
    Then it is refused because "Sailing is late"

  Scenario: Costs by kind
    Then a "Waves" that is 3 days late costs 0.40
    And a "Sailing" that is 2 days late costs 0.05

  @fixture.sunday
  Scenario: Working days
    Then there are 6 working days before 2024-03-10
    And there are 0 working days before 2024-03-04
    And there are 7 working days before 2024-03-12
