"""Numbers of things in messages."""


def counted(number: int, noun: str) -> str:
    """Return how many there are of something, as the beginning of a sentence."""
    return f"1 {noun} is" if number == 1 else f"{number} {noun}s are"
