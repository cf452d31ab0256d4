"""The slices of docs/methods.md, section 2: wrong answers by what cases are sorted by, each value beside the rest of the
cases. Fisher's p is a sum of whole numbers, which no rounding touches."""
from collections import Counter, defaultdict
from math import comb, floor, ceil, hypot, sqrt

from scipy import stats

import intervals

FEWEST, MOST = 5, 100
FIRST = 'class', 'domain', 'difficulty'


def names(case):
    """What a case is sorted by, with its value there."""
    yield from ((by, value) for by, value in zip(FIRST, (case.cls, case.domain, case.difficulty)) if value)
    for tag in case.tags:
        key, _, value = tag.partition(':')
        if key and value and key not in FIRST + ('tag',):
            yield key, value
        elif tag:
            yield 'tag', tag


def units(cases):
    return len({c.cluster for c in cases})


def fisher(ka, na, kb, nb):
    """The two-sided p of ka of na beside kb of nb: tables that are no likelier than this one."""
    k = ka + kb

    def ways(x):
        return comb(na, x) * comb(nb, k - x)
    return sum(w for w in map(ways, range(max(0, k - nb), min(k, na) + 1)) if w <= ways(ka)) / comb(na + nb, k)


class Tally:
    """How many of the cases are wrong, and how many observations they are worth."""

    def __init__(self, cases, most):
        wrong = ('incorrect', 'ungradable') if most else ('incorrect',)
        self.k, self.n = sum(c.default['outcome'] in wrong for c in cases), len(cases)
        self.worth = self.n ** 2 / sum(m * m for m in Counter(c.cluster for c in cases).values())
        self.p = self.k / self.n

    def whole(self, towards):
        n = max(1, int(self.worth + 1e-9))
        if n >= self.n:
            return self.k, self.n
        return (floor(self.p * n + 1e-9) if self.p > towards else ceil(self.p * n - 1e-9)), n


def apart(a, b):
    """The share of a less that of b, its interval and p."""
    (la, ua), (lb, ub) = (intervals.wilson(t.p * t.worth, t.worth) for t in (a, b))
    d, every = a.p - b.p, (a.k + b.k) / (a.n + b.n)
    lo, hi = max(-1, d - hypot(a.p - la, ub - b.p)), min(1, d + hypot(ua - a.p, b.p - lb))
    p = fisher(*a.whole(every), *b.whole(every))
    if p >= 1 - intervals.LEVEL:
        return d, min(lo, 0), max(hi, 0), p
    z, far = stats.norm.ppf((1 + intervals.LEVEL) / 2), stats.norm.isf(max(p, 1e-300) / 2)
    limit = abs(d) / sqrt(max(every * (1 - every) * (1 / a.worth + 1 / b.worth), 1e-300))
    edge = d * (1 - z / (min(far, limit) if limit > z else far))
    return (d, max(lo, edge), hi, p) if d > 0 else (d, lo, min(hi, edge), p)


def difference(cases, rest):
    """That of the least of one less the most of the other, to the opposite, while answers are ungradable."""
    least, most = (apart(Tally(cases, of), Tally(rest, not of)) for of in (False, True))
    d = {'lo': least[1], 'hi': most[2], 'p': max(least[3], most[3])}
    if least[0] == most[0]:
        return {**d, 'estimate': least[0]}
    d['range'] = {'lo': least[0], 'hi': most[0]}
    if least[0] <= 0 <= most[0]:
        d['p'] = 1.
    return d


def slices(cases, outcomes):
    """All slices, outcomes being what returns those of some cases."""
    sets, tests, seen = defaultdict(lambda: defaultdict(dict)), {}, set()
    for c in cases:
        for by, value in names(c):
            sets[by][value][c.id] = c

    def one(of):
        rest = [c for c in cases if c.id not in of]
        mine, others = outcomes(list(of.values())), outcomes(rest)
        d = {'n': mine['n'], 'wrong': sum(c.default['outcome'] == 'incorrect' for c in of.values()),
             'incorrect': mine['incorrect'], 'not_attempted': mine['not_attempted'],
             'rest': {'n': others['n'], 'incorrect': others['incorrect']}}
        if units(rest) >= FEWEST:
            d['difference'] = difference(list(of.values()), rest)
            same = frozenset(of) if cases[0].id in of else frozenset(c.id for c in rest)
            tests.setdefault(same, []).append(d['difference'])
        return d

    def dimension(by):
        values = sets[by]
        large = {v: of for v, of in values.items() if units(of.values()) >= FEWEST}
        few = {i: c for v, of in values.items() if v not in large for i, c in of.items()}
        if len(large) > MOST:
            return f'{by} has {len(large)} values of {FEWEST} cases or more: over {MOST} are no slices'
        d = {'values': len(values), 'few': len(values) - len(large), 'of': {}}
        for value in sorted(large, key=str.encode):
            of = large[value]
            if len(of) < len(cases) and not (by == 'tag' and frozenset(of) in seen):
                seen.add(frozenset(of))
                d['of'][value] = one(of)
        if by != 'tag' and units(few.values()) >= FEWEST and large and len(few) < len(cases):
            d['other'] = one(few)
        if not large:
            return f'{by} has {len(values)} value{"s" * (len(values) != 1)}, none of {FEWEST} cases'
        return d if d['of'] else None
    keyed = sorted(sets.keys() - {*FIRST, 'tag'}, key=str.encode)
    every = {by: dimension(by) for by in (*FIRST, *keyed, 'tag') if by in sets}
    out = {'by': {by: d for by, d in every.items() if isinstance(d, dict)},
           'left_out': [d for d in every.values() if isinstance(d, str)], 'tested': len(tests)}
    for p, same in zip(intervals.holm([t[0]['p'] for t in tests.values()]), tests.values()):
        for d in same:
            d['p_holm'] = p
    return out if out['by'] or out['left_out'] else None
