Feature: The catalogue
  As a librarian
  I want a catalogue in order
  so that everything is found

  Background:
    Given a catalogue with
      | kind      | title             | creator | year | subjects       |
      | book      | The Sea           | Woolf   | 1931 | water, England |
      | book      | A Room            | Woolf   | 1929 | England        |
      | magazine  | Sailing           | Club    | 1995 | water          |
      | recording | Sounds of the Sea | Waters  | 1972 | water, nature  |

  Scenario: Titles are sorted without articles
    Then the titles in order are
      | title             |
      | A Room            |
      | Sailing           |
      | The Sea           |
      | Sounds of the Sea |
    And the catalogue holds 4 items
    And item number 2 is "Sailing"

  Scenario: A new book finds its place
    When the book "Quiet" of 1999 is added
    Then item number 1 is "Quiet"
    And "Quiet" is in the catalogue
    And the catalogue holds 5 items

  Scenario: The same book twice
    When the book "The Sea" of 1931 is added
    Then it is refused because "The Sea is in the catalogue already"
    And the catalogue holds 4 items

  @search
  Scenario Outline: Searching
    When someone searches for "<words>"
    Then the titles found are "<titles>"

    @title @fast
    Examples: by title
      | words | titles                     |
      | sea   | The Sea; Sounds of the Sea |
      | room  | A Room                     |

    Examples: by creator and subject
      | words         | titles                      |
      | woolf         | A Room; The Sea             |
      | water sea     | Sounds of the Sea; The Sea  |
      | England woolf | A Room; The Sea             |

    Examples: the better match first
      | words | titles                                      |
      | water | Sounds of the Sea; Sailing; The Sea         |
      | a     | Sounds of the Sea; A Room; Sailing; The Sea |
      | o     | A Room; Sounds of the Sea; The Sea          |

  Scenario: A creator counts more than a subject
    Given a catalogue with
      | kind      | title | creator | year | subjects |
      | recording | Hymns | Hill    | 1990 | Woolf    |
    When someone searches for "woolf"
    Then the titles found are "A Room; The Sea; Hymns"

  Scenario: Subjects in whatever case
    Then "The Sea" is about "ENGLAND"
    But "Sailing" is not about "ENGLAND"

  Scenario: Searching one kind
    When someone searches the magazines for "water"
    Then the titles found are "Sailing"
    When someone searches for nothing at all
    Then nothing is found

  Scenario Outline: Finding nothing
    When someone searches for "<words>"
    Then nothing is found

    Examples:
      | words     |
      | mountains |
      | sea rocks |

  Scenario Outline: Pages
    When page <number> is asked for, with <size> titles a page
    Then the titles found are "<titles>"

    Examples:
      | number | size | titles                     |
      | 1      | 2    | A Room; Sailing            |
      | 2      | 2    | The Sea; Sounds of the Sea |
      | 2      | 3    | Sounds of the Sea          |

  Scenario: There is no page 0
    When page 0 is asked for, with 2 titles a page
    Then it is refused because "pages are numbered from 1"

  Scenario: Items of some years
    When the items from 1931 to 1972 are listed
    Then the titles found are "The Sea; Sounds of the Sea"

  Scenario Outline: Looking up <key>
    When <key> is looked up
    Then the titles found are "<title>"

    Examples: by place
      | key | title             |
      | 0   | A Room            |
      | -1  | Sounds of the Sea |

    Examples: by title
      | key     | title   |
      | sailing | Sailing |
      | THE SEA | The Sea |

  Scenario Outline: Looking up <key>, which is missing
    When <key> is looked up
    Then it is missing

    Examples:
      | key  |
      | 4    |
      | Seas |

  Scenario: Two catalogues become one
    When it is joined with a catalogue of "The Sea" and "Either | Or"
    Then the catalogue holds 5 items
    And the titles in order are
      | title             |
      | Either \| Or      |
      | A Room            |
      | Sailing           |
      | The Sea           |
      | Sounds of the Sea |

  Scenario: What is no item
    When someone looks up what is neither number nor title
    Then it is refused because "cannot look up None"
    And a parcel labelled "maps" stands at "?-MAP"
    And nobody knows where the number 7 stands

  Scenario: Decades
    When the book "Quiet" of 1999 is added
    Then the decades are
      | decade | count |
      | 1920   | 1     |
      | 1930   | 1     |
      | 1970   | 1     |
      | 1990   | 2     |
