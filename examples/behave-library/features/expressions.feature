Feature: Cucumber expressions

  Scenario Outline: Late magazines
    When a magazine is <days> days late
    Then <cents> cents are owed

    Examples:
      | days | cents |
      | 1    | 0     |
      | 2    | 5     |
      | 200  | 500   |
