Feature: Fines and letters in the newer way

  Scenario Outline: Late magazines
    When a magazine is <days> <unit> late
    Then <cents> cents are owed

    Examples:
      | days | unit | cents |
      | 1    | day  | 0     |
      | 2    | days | 5     |
      | 200  | days | 500   |

  Scenario: A letter without delay
    When "Dear Ann" is posted
    Then letter number 1 was "Dear Ann"
