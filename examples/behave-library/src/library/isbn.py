"""International Standard Book Numbers (ISO 2108): ten digits, or thirteen."""


def clean(text: str) -> str:
    """The digits of an ISBN without hyphens and spaces; a final X stays."""
    return text.replace("-", "").replace(" ", "").upper()


def checksum10(digits: str) -> str:
    """The check digit of the first nine digits: weights 10 to 2, modulo 11."""
    total = 0
    for place, digit in enumerate(digits[:9]):
        total += (10 - place) * int(digit)
    rest = (11 - total % 11) % 11
    return "X" if rest == 10 else str(rest)


def checksum13(digits: str) -> str:
    """The check digit of the first twelve digits: weights 1 and 3, modulo 10."""
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits[:12]))
    return str((10 - total % 10) % 10)


def is_valid(text: str) -> bool:
    """Whether the text is an ISBN of ten or thirteen digits with the right check digit."""
    digits = clean(text)
    if len(digits) == 10 and digits[:9].isdigit():
        return digits[9] == checksum10(digits)
    if len(digits) == 13 and digits.isdigit():
        return digits[12] == checksum13(digits)
    return False


def to13(text: str) -> str:
    """The thirteen-digit form of a ten-digit ISBN."""
    digits = clean(text)
    if len(digits) == 13:
        return digits
    body = "978" + digits[:9]
    return body + checksum13(body)
