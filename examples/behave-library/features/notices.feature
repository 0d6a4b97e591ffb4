Feature: Notices
  Letters remind members of what is late.

  Background:
    Given the book "The Sea" of 1931
    And the book "Quiet" of 1999
    And the adult member Ann
    And the adult member Bob
    And the adult member Cid

  Scenario: Reminders
    Given Ann borrowed "The Sea" 29 days ago
    And Bob borrowed "Quiet" 31 days ago
    Then the reminders read
      """
      Ann: The Sea is 1 day late
      Bob: Quiet is 3 days late
      """

  Scenario: Letters are sent
    Given Ann borrowed "The Sea" 40 days ago
    And Ann borrowed "Quiet" 41 days ago
    And the book "Waves" of 2001
    And Cid borrowed "Waves" 42 days ago
    When letters are sent, 2 at most
    Then the numbers are 1 2
    And the letters are exactly
      | second line                          |
      | please bring back Quiet and The Sea. |
      | please bring back Waves.             |
    And letter 1 reads
      """
      Dear Ann,
      please bring back Quiet and The Sea.
      """

  Scenario Outline: Not more than <limit> letters
    Given Ann borrowed "The Sea" <ago> days ago
    And Cid borrowed "Quiet" 41 days ago
    When letters are sent, <limit> at most
    Then the numbers are <numbers>
    And the letters are exactly
      | second line |
      | <first>     |

    Examples: only Cid is late
      | ago | limit | numbers | first                    |
      | 28  | 2     | 1       | please bring back Quiet. |

    Examples: too few for both
      | ago | limit | numbers | first                      |
      | 29  | 1     | 1       | please bring back The Sea. |

  Scenario Outline: Phrases
    Then "<titles>" are joined as "<phrase>"

    Examples:
      | titles | phrase     |
      | ,      | nothing    |
      | A      | A          |
      | A,B    | A and B    |
      | A,B,C  | A, B and C |

  Scenario: Counters
    Then a counter from 5 in steps of 2 says 7 and 9
