Feature: Members
  As a librarian I want accounts to be right.

  Background:
    Given the adult member Ann
    And the child member Bob

  Scenario Outline: Paying <paid>
    Given Ann owes 2.50
    When Ann pays <paid>
    Then Ann gets <change> back
    And Ann now owes <left>
    And the account of Ann reads
      | what    | cents   |
      | earlier | 250     |
      | payment | <entry> |

    Examples: a part
      | paid | change | left | entry |
      | 1.00 | 0.00   | 1.50 | -100  |
      | 2.50 | 0.00   | 0.00 | -250  |

    Examples: with change
      | paid | change | left | entry |
      | 3.00 | 0.50   | 0.00 | -250  |

  Scenario: Paying less than nothing
    When Ann pays less than nothing
    Then it is refused because "a payment cannot be negative"
    And Ann now owes 0.00

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
