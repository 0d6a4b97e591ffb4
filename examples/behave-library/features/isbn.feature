Feature: ISBN
  The numbers of books have a check digit, so that a slip of the pen is noticed.

  Rule: Ten digits

    Example: Valid and invalid
      Then "0-306-40615-2" is an ISBN
      And "0-8044-2957-X" is an ISBN
      And "0 8044 2957 x" is an ISBN
      But "0-306-40615-3" is no ISBN
      And "0-306-4061" is no ISBN
      And "abcdefghij" is no ISBN

    Example: Check digits
      Then the check digits of "030640615" and "978030640615" are "2" and "7"
      And the check digits of "080442957" and "978080442957" are "X" and "3"
      And the check digits of "000000000" and "000000000000" are "0" and "0"

  Rule: Thirteen digits

    Background:
      Given a book with the ISBN "0-306-40615-2"

    Example: Valid and invalid
      Then "978-0-306-40615-7" is an ISBN
      But "978-0-306-40615-8" is no ISBN
      * "978-0-306-4061-57" is an ISBN
      * "978-0-306-40615-7X" is no ISBN

    Example: A book keeps the long form
      Then its ISBN is "9780306406157"
      When a book with the ISBN "0-306-40615-1" is made
      Then it is refused because "0-306-40615-1 is not an ISBN"

    @conversion # from the old form to the new
    Example: From ten to thirteen
      Then "0306406152" becomes "9780306406157"
      And the ISBNs 0306406152, 9780306406157 have 13 digits
