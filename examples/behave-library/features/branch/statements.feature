@paper
Feature: Statements of a branch
  Amounts are printed in the currency of the branch: run with -D currency=CHF there.

  Background:
    Given the adult member Ann
    And the adult member Bob

  Scenario Outline: The statement of <name>
    Given <name> owes 2.50
    When <name> is charged <charge> for "<reason>"
    And <name> pays <payment>
    And the statement of <name> is made
    Then it reads
      """
      earlier          2.50 CUR
      <short>    <charge> CUR
      payment         -<payment> CUR
      balance         <balance> CUR
      """
    And it has 3 lines

    Examples: long reasons are cut
      | name | reason               | short        | charge | payment | balance |
      | Ann  | Sounds of the Desert | Sounds of th | 10.25  | 2.75    | 10.00   |

    @boundary # twelve letters fit
    Examples: others are not
      | name | reason       | short        | charge | payment | balance |
      | Bob  | The Seashore | The Seashore | 20.00  | 9.99    | 12.51   |

  Scenario: Nothing on it
    When the statement of Bob is made
    Then it reads
      """
      balance          0.00 CUR
      """
    And it has 0 lines
    And its payments are 0.00 in all

  Scenario: Running balance
    Given Ann owes 2.50
    When Ann pays 1.00
    And Ann is charged 0.40 for "Waves"
    Then the desk says that 1.90 is owed
    When Ann pays 5.00
    And the statement of Ann is made
    Then the balances are 250, 150, 190, 0
    And its payments are 2.90 in all

  Scenario Outline: Amounts
    Then "<text>" are <cents> cents, printed "<printed>"

    Examples: whole and broken
      | text  | cents | printed   |
      | 3     | 300   | 3.00 CUR  |
      | 3.5   | 350   | 3.50 CUR  |
      | 12,05 | 1205  | 12.05 CUR |

    Examples: owed by the library
      | text  | cents | printed   |
      | -0.05 | -5    | -0.05 CUR |
      | -1.99 | -199  | -1.99 CUR |

  Scenario: White space around an amount
    Then " 7.25 " are 725 cents, printed "7.25 CUR"

  Scenario Outline: No amounts
    When the amount "<text>" is read
    Then it is refused because "'<text>' is not an amount"

    Examples:
      | text  |
      | 1.234 |
      | three |
      | 1.    |
