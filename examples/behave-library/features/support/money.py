"""Money in tests: "1.50" is 150 cents."""


def cents(text):
    whole, _, part = text.partition(".")
    return int(whole) * 100 + int((part + "00")[:2])
