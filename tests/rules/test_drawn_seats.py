"""The draw of seats at anonymous tables, compared with direct code written from RECORD.md."""

import hashlib
import hmac

from games.rules import drawn_seats, nonce_from_words

SECRET = bytes(range(32))
WORDS = [nonce_from_words(words) for words in ("oranges", "lemons", "figs")]


def _by_the_text(nonces: list[bytes]) -> list[int]:
    given = sorted((nonce, at) for at, nonce in enumerate(nonces) if nonce)
    order = [at for _nonce, at in given] + [at for at, nonce in enumerate(nonces) if not nonce]
    seats = hashlib.sha256(b"condottiere-seats-1" + SECRET + b"".join(nonce for nonce, _at in given)).digest()
    data = b"".join(
        hmac.new(seats, b"condottiere-seats-1" + block.to_bytes(4, "big"), hashlib.sha256).digest()
        for block in range(20)
    )
    words = [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]
    for i in range(len(order) - 1, 0, -1):
        while words[0] >= 2**32 - (2**32 % (i + 1)):
            words.pop(0)
        j = words.pop(0) % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def test_seats_are_drawn_as_the_text_describes() -> None:
    for people in range(2, 7):
        nonces = (WORDS + [b""] * 3)[-people:]
        assert list(drawn_seats(SECRET, nonces)) == _by_the_text(nonces)
        assert sorted(drawn_seats(SECRET, nonces)) == list(range(people))


def test_where_words_come_to_lie_does_not_hang_on_who_sat_down_first() -> None:
    def lie(nonces: list[bytes]) -> list[bytes]:
        return [nonces[at] for at in drawn_seats(SECRET, nonces)]

    sat_down = [WORDS[0], b"", WORDS[1], WORDS[2], b""]
    assert lie(sat_down) == lie(sat_down[::-1]) == lie(sorted(sat_down))


def test_every_order_comes_up() -> None:
    drawn = {drawn_seats(hashlib.sha256(bytes([n])).digest(), [b""] * 3) for n in range(60)}
    assert len(drawn) == 6
