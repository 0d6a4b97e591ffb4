Feature: Members
  As a librarian I want accounts to be right.

  Background:
    Given the adult member Ann
    And the child member Bob

  Scenario: Paying with change
    Given Ann owes 2.50
    When Ann pays 3.00
    Then Ann gets 0.50 back
    And Ann now owes 0.00

  Scenario: Paying a part
    Given Ann owes 2.50
    When Ann pays 1.00
    Then Ann gets 0.00 back
    And Ann now owes 1.50
    And the account of Ann reads
      | what    | cents |
      | earlier | 250   |
      | payment | -100  |

  Scenario: Nothing is charged for nothing
    When Ann is charged 0.00 for "air"
    Then Ann now owes 0.00

  Scenario Outline: Owing too much blocks adults
    Given <name> owes <amount>
    Then <name> <may> borrow

    Examples: adults
      | name | amount | may     |
      | Ann  | 9.99   | may     |
      | Ann  | 10.00  | may not |

    Examples: children
      | name | amount | may |
      | Bob  | 50.00  | may |

  Scenario Outline: Limits
    Then the limit of a <level> member is <limit>

    Examples:
      | level | limit |
      | child | 3     |
      | adult | 5     |
      | staff | 20    |

  Scenario: Two accounts become one
    Given Ann owes 1.25
    And Bob owes 0.75
    When the accounts of Ann and Bob become one
    Then that account owes 2.00 from 2 entries
