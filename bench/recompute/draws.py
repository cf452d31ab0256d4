"""The draws of docs/posterior.md, "What is drawn": the named streams, by the specification of ChaCha8Rand
(https://c2sp.org/chacha8rand), and resamples of contexts. Each bound of resamples is also held against resamples that
are drawn with numpy and owe the streams nothing."""
import hashlib
import struct
from functools import cache
from math import exp

import numpy as np
from scipy import stats

RESAMPLES, OWN = 1000, 20_000
RISK = 1e-6  # the chance that one of the checks against own draws fails where nothing is wrong, at most
CONSTANTS = np.array([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574], np.uint32)


def turn(x, by):
    return x << np.uint32(by) | x >> np.uint32(32 - by)


def quarters(a, b, c, d):
    a = a + b
    d = turn(d ^ a, 16)
    c = c + d
    b = turn(b ^ c, 12)
    a = a + b
    d = turn(d ^ a, 8)
    c = c + d
    return a, turn(b ^ c, 7), c, d


def chacha8rand(key):
    """The next key of 32 bytes, and 124 numbers of 64 bits."""
    words = np.frombuffer(key, '<u4').astype(np.uint32)
    start = np.zeros((4, 4, 16), np.uint32)  # rows, columns, blocks
    start[0], start[1], start[2] = CONSTANTS[:, None], words[:4, None], words[4:, None]
    start[3, 0] = np.arange(16)
    x = list(start)
    for _ in range(4):
        x = quarters(*x)
        x = quarters(*(np.roll(row, -i, 0) for i, row in enumerate(x)))  # along the diagonals
        x = [np.roll(row, i, 0) for i, row in enumerate(x)]
    x = np.stack(x)
    x[1:3] += start[1:3]  # constants and counter are not added
    x = x.reshape(16, 4, 4).transpose(1, 0, 2)  # each four blocks word by word
    out = np.ascontiguousarray(x).astype('<u4').tobytes()
    return out[-32:], np.frombuffer(out[:-32], '<u8').tolist()


def stream(seed, *name):
    """The numbers of 64 bits of a named stream."""
    key = struct.pack('<Q', seed)
    for part in name:
        part = str(part).encode()
        key += struct.pack('<Q', len(part)) + part
    key = hashlib.sha256(key).digest()
    while True:
        key, numbers = chacha8rand(key)
        yield from numbers


def whole(numbers, n):
    """A whole number below n: the last bits where n is a power of two, else the upper half of a product (Lemire 2019)."""
    if n & n - 1 == 0:
        return next(numbers) & n - 1
    while True:
        product = next(numbers) * n
        if product % 2 ** 64 >= 2 ** 64 % n:
            return product >> 64


def label(numbers, p):
    """The index of an answer with the chances p."""
    x = (next(numbers) & 2 ** 53 - 1) / 2 ** 53
    for i, chance in enumerate(p):
        x -= chance
        if x < 0:
            return i
    return np.flatnonzero(p)[-1]


@cache
def ranks(own, place, n):
    law = stats.betabinom(own, place + 1, n - place)
    return law.ppf(RISK / 4000), law.isf(RISK / 4000)


class Resamples:
    """How often each of so many contexts is drawn, a row a resample: those of the run's seed, and own ones."""

    def __init__(self, seed, contexts):
        numbers = stream(seed, 'posterior', 'resample')
        self.seeded = np.zeros((RESAMPLES, contexts), int)
        for row in self.seeded:
            for _ in range(contexts):
                row[whole(numbers, contexts)] += 1
        self.own = np.random.default_rng(1).multinomial(contexts, np.full(contexts, 1 / contexts), OWN)
        self.checked, self.off = 0, []

    def bounds(self, statistic, level):
        """Percentiles, of columns, of what statistic says of rows of counts; nan is nothing."""
        seeded, own = (np.sort(statistic(times).reshape(len(times), -1), axis=0) for times in (self.seeded, self.own))
        out = []
        for q in (1 - level) / 2, (1 + level) / 2:
            n = (~np.isnan(seeded)).sum(0)
            place = np.maximum(np.minimum(n - 1, (q * n).astype(int)), 0)
            out.append(seeded[place, np.arange(len(place))])
            for column, k, i, x in zip(own.T, n, place, out[-1]):
                self.hold(column[~np.isnan(column)], k, i, x)
        return out

    def hold(self, own, n, place, x):
        """Holds x, in that place of n sorted values, against own values of the same distribution.

        The mass up to the (i+1)-th smallest of n is Beta(i + 1, n - i), and of so many own values those up to it are a
        binomial of that mass: beta-binomial together, whatever the distribution is. Where values tie, of those below x
        there are no more, of those up to x no fewer. Rounding tells the same value apart in two sums, so ties reach
        over it. RISK is shared by 2,000 bounds of two sides."""
        if n < RESAMPLES / 2 or not len(own):
            return
        self.checked += 1
        slack, (least, most) = 1e-9 * max(1e-9, abs(x)), ranks(len(own), place, n)
        below, upto = np.searchsorted(own, x - slack, 'left'), np.searchsorted(own, x + slack, 'right')
        if below > most or upto < least:
            self.off.append(f'the {place + 1}. of {n} resamples is {x}, and of {len(own)} own ones {below} are less and '
                            f'{upto} no more: wanted no more than {most:g} and no fewer than {least:g}')


def unlikely_sum(off, variance):
    """A bound of the chance that a sum of independent values in [0, 1] is so far off its mean (Bernstein)."""
    return 2 * exp(-off * off / 2 / (variance + off / 3)) if off > 0 else 1.


def check():
    """The streams of internal/base/seed/seed_test.go and Go's own sample; a fair bound is held, one of other ranks is not."""
    for name, want in ((), 0x9647d53234b558ac), (('a',), 0xa4fd2f679dab5649), (('a', 'bc'), 0xd1cfbadf8f2088d1):
        assert next(stream(1, *name)) == want
    key = b'ABCDEFGHIJKLMNOPQRSTUVWXYZ123456'
    for want in 0xb773b6063d4616a5, 0x5f41df72e05e0487, 0xb433eec25dca1966:  # Go 1.26's rand_test.go
        key, numbers = chacha8rand(key)
        assert numbers[0] == want
    values = np.arange(30) / 30

    def mean(times):
        return times @ values / 30
    for n in 30, 32:
        fair = Resamples(1, n)
        assert (fair.seeded.sum(1) == n).all() and abs(fair.seeded.mean(0) - 1).max() < 5 * RESAMPLES ** -.5
    fair = Resamples(1, 30)
    fair.bounds(mean, .95)
    assert fair.checked == 2 and not fair.off
    lo, hi = fair.bounds(mean, .8)
    for x, place in (lo, 25), (hi, 975):
        fair.hold(np.sort(mean(fair.own)), RESAMPLES, place, x[0])
    assert len(fair.off) == 2


if __name__ == '__main__':
    check()
