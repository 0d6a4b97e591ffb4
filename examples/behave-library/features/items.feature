Feature: Items

  Scenario: A title loses white space
    Given a book called "  Much   Ado "
    Then its title is "Much Ado"
    And it sorts as "much ado"
    When its title becomes " Less  Ado"
    Then its title is "Less Ado"
    And it sorts as "less ado"

  Scenario: What sorts alike is equal
    Given a book called "The Sea" of 1931
    Then it equals the book "Sea" of 1931
    And it differs from the magazine "Sea" of 1931
    And it differs from the book "Sea" of 1932
    And its sort key cannot be set
    When its year becomes 1932
    Then it equals the book "A Sea" of 1932

  Scenario: A title cannot be empty
    Given a book called "X"
    When its title becomes "  "
    Then it is refused because "an item needs a title"
    And its title is "X"

  Scenario Outline: Years have bounds
    Given a book called "X" of 2000
    When its year becomes <year>
    Then its year is <result>

    Examples:
      | year | result |
      | 1450 | 1450   |
      | 2100 | 2100   |

  Scenario Outline: Years out of bounds
    Given a book called "X" of 2000
    When its year becomes <year>
    Then it is refused because "year must be between 1450 and 2100, not <year>"
    And its year is 2000

    Examples:
      | year |
      | 1449 |
      | 2101 |

  Scenario Outline: Sorting by title
    Given a book called "<title>"
    Then it sorts as "<key>"

    Examples:
      | title      | key      |
      | The Sea    | sea      |
      | An Apple   | apple    |
      | A          | a        |
      | Theatre    | theatre  |

  Scenario: Labels and shelves
    Given a magazine called "Sailing" of 1995
    Then its label reads "Sailing (1995), no. 1"
    And it stands at "M-SAI"
    Given issue 7 of the magazine "Sailing" of 1996
    Then its label reads "Sailing (1996), no. 7"
    And it may be kept 7 days
    And it shows itself as "<magazine 'Sailing'>"

  Scenario Outline: Long books may be kept longer
    Given a book of <pages> pages
    Then it may be kept <days> days

    Examples:
      | pages | days |
      | 400   | 28   |
      | 401   | 35   |

  Scenario Outline: Short recordings come back sooner
    Given a recording of <minutes> minutes
    Then it may be kept <days> days
    And <minutes> minutes read "<clock>"

    Examples:
      | minutes | days | clock |
      | 29      | 7    | 0:29  |
      | 30      | 14   | 0:30  |
      | 125     | 14   | 2:05  |

  Scenario: An unknown kind
    When an item of the kind spoon is made
    Then it is refused because "there is no kind of item called spoon"
