"""The intervals of docs/methods.md, section 6, and of docs/detection.md: no code here is the program's, and the bound on
a mean is inverted in another way. Each returns (lo, hi), an area also its value. How much clusters are worth, and the
spread of areas by cluster, the pages did not say in full: these formulas were read in the program, and then written
there."""
from collections import Counter, defaultdict
from fractions import Fraction
from math import exp, lcm, log, sqrt

import numpy as np
from scipy import optimize, stats

LEVEL = .95


def wilson(k, n, level=LEVEL):
    z = stats.norm.ppf((1 + level) / 2)
    p = k / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (0. if k == 0 else max(0., centre - half)), (1. if k == n else min(1., centre + half))


def below_zero(a, count):
    """P(sum of a_i E_i <= 0) for independent exponentials E_i, of which count_i have the factor a_i.

    The moment generating function prod (1 - a_i s)^-count_i is inverted along a vertical line through the saddle point beside
    the origin: for c < 0 the probability is the integral of mgf(s)/(-s) over c + iy, divided by 2 pi. With y = w sinh v the
    integrand falls double exponentially, so that the trapezium rule has no error left above the rounding."""
    keep = a != 0
    a, count = a[keep], count[keep]
    if not len(a) or (a > 0).all():
        return 0.
    if (a < 0).all():
        return 1.
    if a @ count < 0:  # integrate on the side of the smaller tail
        return 1 - below_zero(-a, count)
    a = a / np.abs(a).max()
    far = 1 / a.min()  # the nearest singularity below 0

    def slope(s):
        return count @ (a / (1 - a * s)) - 1 / s
    c = optimize.brentq(slope, far * (1 - 1e-13), far * 1e-13, xtol=1e-300, rtol=1e-6)
    w = 1 / sqrt(count @ (a / (1 - a * c)) ** 2 + 1 / c ** 2)
    top, size = -(count @ np.log1p(-a * c)), 4.
    while True:
        v = np.arange(0, size, .03125)
        s = c + 1j * w * np.sinh(v)
        logs = -(np.log(1 - a[:, None] * s[None, :]) * count[:, None]).sum(0) - top
        f = (np.exp(logs) / -s).real * w * np.cosh(v)
        if abs(f[-1]) < 1e-19 * np.abs(f).max() or size > 60:
            break
        size *= 1.5
    return exp(top) * (f.sum() - f[0] / 2) * .03125 / np.pi


MEMORY = {}


def lower(yes, no, size, tail):
    """The quantile at tail of sum d yes / sum d (yes + no), d ~ Dirichlet(1, ..., 1), with a unit of size that is all no."""
    atoms, count = np.unique(np.round(np.column_stack([yes, no]), 15), axis=0, return_counts=True)
    if not atoms[:, 0].any():
        return 0.
    k = np.append(atoms[:, 0], 0)
    m = np.append(atoms.sum(1), size)
    count = np.append(count, 1.)
    key = (k.tobytes(), m.tobytes(), count.tobytes(), tail)
    if key not in MEMORY:
        def miss(t):
            return log(max(below_zero(k - t * m, count), 1e-300)) - log(tail)
        value = (k @ count) / (m @ count)
        hi = value
        while miss(hi) < 0:
            hi = (hi + 1) / 2
        lo = hi / 2
        while miss(lo) > 0:
            lo /= 2
        MEMORY[key] = optimize.brentq(miss, lo, hi, xtol=1e-15, rtol=1e-14)
    return MEMORY[key]


def ratio(k, m, level=LEVEL):
    """Gaffke's bound on sum k / sum m over units of sizes m; that on a mean where all m are 1."""
    k, m = np.asarray(k, float), np.asarray(m, float)
    no, tail, size = np.clip(m - k, 0, None), (1 - level) / 2, m.max()
    value = k.sum() / m.sum()
    return min(value, lower(k, no, size, tail)), max(value, 1 - lower(no, k, size, tail))


def mean(x, level=LEVEL):
    return ratio(x, np.ones(len(x)), level)


def exact_flip(d):
    """The chances of the sums 2 i - total of +-d, whole numbers, all 2^n signs alike, and total, the sum of |d|."""
    d = [abs(x) for x in d if x]
    ways = np.ones(1)
    for x in sorted(d):
        ways = (np.append(ways, np.zeros(x)) + np.append(np.zeros(x), ways)) / 2
    return ways, sum(d)


def sign_flip(d, share=False):
    """The two-sided p of fractions d, one of each unit; share says that those of the cases are -1, 0 and 1."""
    d = [Fraction(x) for x in d]
    grid = lcm(*(x.denominator for x in d))
    d = [int(x * grid) for x in d]
    ways, total = exact_flip(d)
    at = np.abs(2 * np.arange(len(ways)) - total)
    beyond, same = ways[at > abs(sum(d))].sum(), ways[at == abs(sum(d))].sum()
    exact = share or sum(x != 0 for x in d) < 8
    return min(1., beyond + same * (1 if exact else .5))


def paired(difference, units, level=LEVEL):
    """The interval and p of the mean of differences, fractions in [-1, 1], of cases that belong to units."""
    size, by = Counter(units), defaultdict(Fraction)
    for x, u in zip(difference, units):
        by[u] += Fraction(x)
    sums, m = list(by.values()), np.array([size[u] for u in by])
    p = sign_flip(sums, set(difference) <= {-1, 0, 1})
    d, (lo, hi) = float(sum(sums) / len(units)), ratio((m + np.array(sums, float)) / 2, m, level)
    lo, hi = 2 * lo - 1, 2 * hi - 1
    if p >= 1 - level:
        return min(lo, 0.), max(hi, 0.), p
    z = min(stats.norm.isf(p / 2), abs(float(sum(sums))) / sqrt(sum(float(x) ** 2 for x in sums)))
    near = stats.norm.isf((1 - level) / 2)
    if z > near:
        edge = d * (1 - near / z)
        lo, hi = (max(lo, edge), hi) if d > 0 else (lo, min(hi, edge))
    return lo, hi, p


def holm(p):
    """Adjusted for all of p, in their order."""
    adjusted, most = [0.] * len(p), 0.
    for rank, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        most = max(most, min(1., (len(p) - rank) * p[i]))
        adjusted[i] = most
    return adjusted


def median(x, units):
    """Order statistics: the largest k with P(Bin(n, 1/2) < k) <= .025; where two cases are of one unit, the values of which the
    shares of cases at or below and at or above may be 1/2, by the bounds of ratio."""
    if len(set(units)) < len(units):
        x, (of, at) = np.asarray(x), np.unique(units, return_inverse=True)
        def half(which):
            k = np.bincount(at, weights=which, minlength=len(of))
            return ratio(k, np.bincount(at))[1] >= .5
        values = np.unique(x)
        return next(v for v in values if half(x <= v)), next(v for v in values[::-1] if half(x >= v))
    x, n = np.sort(x), len(x)
    k = max(k for k in range(n) if stats.binom.cdf(k - 1, n, .5) <= .025)
    return x[k - 1], x[n - k]


def placements(x, y):
    """For each x the share of y below it, ties half."""
    y = np.sort(y)
    return (np.searchsorted(y, x, 'left') + np.searchsorted(y, x, 'right')) / 2 / len(y)


def auroc(score, failing, units, level=LEVEL):
    """The AUROC and its interval by case or, where two cases are of one unit, by cluster."""
    place = placed(score, failing)
    value = place[failing].mean()
    way = by_case if len(set(units)) == len(units) else by_cluster
    return value, *way(value, place, failing, units, level)


def placed(score, failing):
    """The share of the other class that each case is on the right side of."""
    place = np.empty(len(score))
    place[failing] = placements(score[failing], score[~failing])
    place[~failing] = 1 - placements(score[~failing], score[failing])
    return place


def by_case(value, place, failing, _, level):
    """DeLong's by t, with half a case of each class below all scores and half a case above."""
    m, n = failing.sum(), (~failing).sum()
    middle = (m * n * value + (m + n + 1) / 2) / ((m + 1) * (n + 1))

    def spread(own, k, other):
        own = (other * own + .5) / (other + 1)  # half of the other class is below, half above
        ends = np.array([.25, other + .75]) / (other + 1)
        return (((own - middle) ** 2).sum() + ((ends - middle) ** 2).sum() / 2) / k / (k + 1)
    vx, vy = spread(place[failing], m, n), spread(place[~failing], n, m)
    df = (vx + vy) ** 2 / (vx ** 2 / m + vy ** 2 / n)
    half = stats.t.ppf((1 + level) / 2, df) * sqrt(vx + vy)
    return max(0., min(value, middle - half)), min(1., max(value, middle + half))


def worth(place, units):
    """How many cases the cases of a class are worth; units are their clusters, place their placements."""
    by = defaultdict(list)
    for x, u in zip(place, units):
        by[u].append(x)
    k, groups, squares = len(place), len(by), sum(len(g) ** 2 for g in by.values())
    between = sum(len(g) * (np.mean(g) - place.mean()) ** 2 for g in by.values())
    within = sum(((np.array(g) - np.mean(g)) ** 2).sum() for g in by.values())
    rho = 1.
    if 1 < groups < k and between + within > 0:
        between, within = between / (groups - 1), within / (k - groups)
        usual = (k - squares / k) / (groups - 1)
        rho = min(1., max(0., (between - within) / (between + (usual - 1) * within)))
    return k / (1 + (squares / k - 1) * rho)


def by_cluster(value, place, failing, units, level):
    """Newcombe's interval (his method 5) at the sizes that clusters are worth, joined with Obuchowski's on logits."""
    units = np.array(units)
    m, n = worth(place[failing], units[failing]), worth(place[~failing], units[~failing])
    star, z = (m + n) / 2 - 1, stats.norm.ppf((1 + level) / 2)

    def miss(t):
        return abs(value - t) - z * sqrt(t * (1 - t) / (m * n) * (1 + star * (1 - t) / (2 - t) + star * t / (1 + t)))
    lo = optimize.brentq(miss, 0, value, xtol=1e-15) if value > 0 else 0.
    hi = optimize.brentq(miss, value, 1, xtol=1e-15) if value < 1 else 1.
    return with_logit(value, place, failing, units, level, lo, hi)


def obuchowski(value, place, failing, units, level):
    """Half of the width by the variance over clusters and t; None where a class is in one cluster."""
    x, y = defaultdict(float), defaultdict(float)
    for p, bad, u in zip(place, failing, units):
        (x if bad else y)[u] += p - value
    i, j, m, n, every = len(x), len(y), failing.sum(), (~failing).sum(), x.keys() | y.keys()
    if min(i, j) < 2:
        return None
    s10, s01 = i / (i - 1) * sum(v * v for v in x.values()) / m, j / (j - 1) * sum(v * v for v in y.values()) / n
    s11 = len(every) / (len(every) - 1) * sum(x.get(u, 0) * y.get(u, 0) for u in every)
    return stats.t.ppf((1 + level) / 2, min(i, j) - 1) * sqrt(max(0, s10 / m + s01 / n + 2 * s11 / (m * n)))


def with_logit(value, place, failing, units, level, lo, hi):
    """The bounds joined with Obuchowski's on the logit scale."""
    half = obuchowski(value, place, failing, units, level)
    if half is not None and 0 < value < 1:
        half, logit = half / (value * (1 - value)), log(value / (1 - value))
        lo, hi = min(lo, 1 / (1 + exp(half - logit))), max(hi, 1 / (1 + exp(-half - logit)))
    return lo, hi


def by_context(score, failing, units, level=LEVEL):
    """The AUROC of scores in many contexts: the interval by case, joined with Obuchowski's."""
    place = placed(score, failing)
    value = place[failing].mean()
    return value, *with_logit(value, place, failing, units, level, *by_case(value, place, failing, units, level))


def paired_by_context(score, other, failing, units, level=LEVEL):
    """The AUROC of score less that of other, of the same cases in many contexts."""
    place = placed(score, failing) - placed(other, failing)
    value = place[failing].mean()
    half = obuchowski(value, place, failing, units, level)
    return (value, -1., 1.) if half is None else (value, max(-1., value - half), min(1., value + half))


def areas_apart(first, failing, second, others, units, level=LEVEL):
    """The AUROC of first on the labels failing less that of second on the labels others, over the same cases."""
    def influence(score, bad):
        place = placed(score, bad)
        value = place[bad].mean()
        return value, (place - value) / np.where(bad, bad.sum(), (~bad).sum())
    a, psi = influence(first, failing)
    b, phi = influence(second, others)
    classes = failing, ~failing, others, ~others
    least = min(len({u for u, i in zip(units, c) if i}) for c in classes)
    total = defaultdict(float)
    for x, u in zip(psi - phi, units):
        total[u] += x
    spread = sum(x * x for x in total.values())
    if least < 10 or spread == 0 or first is second and (failing == others).all():
        return a - b, -1., 1.

    def alike(c):
        size = Counter(u for u, i in zip(units, c) if i)
        return sum(size.values()) ** 2 / sum(x * x for x in size.values())
    w = min(map(alike, classes))
    if len(total) < len(units):
        spread *= w / (w - 1)
    half = stats.t.ppf((1 + level) / 2, w - 1) * sqrt(spread)
    return a - b, max(-1., a - b - half), min(1., a - b + half)


def check():
    """On values of 0 and 1 the bound is Clopper and Pearson's; elsewhere a million draws agree to .001."""
    for n in (1, 2, 10, 600):
        for k in (0, 1, n // 2, n):
            lo, hi = mean([1] * k + [0] * (n - k))
            assert abs(lo - (stats.beta.ppf(.025, k, n - k + 1) if k else 0)) < 1e-12
            assert abs(hi - (stats.beta.ppf(.975, k + 1, n - k) if k < n else 1)) < 1e-12
    for d, p, mid in ([1, 2, 3], .25, .125), ([3, -1, 2], .5, .375), ([1, 1, 1, 1, -1], .375, .21875):  # by hand
        assert sign_flip(d) == p
        ways, total = exact_flip(d)
        at = np.abs(2 * np.arange(len(ways)) - total)
        assert p - ways[at == abs(sum(d))].sum() / 2 == mid
    fisher = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]  # The Design of Experiments, section 21
    assert sign_flip(fisher, True) == 2 * 863 / 32768 > sign_flip(fisher)
    assert np.allclose(holm([.01, .04, .03]), [.03, .06, .06])
    draws = np.random.default_rng(1).dirichlet([1] * 6, 1_000_000)
    lo, hi = mean([.9, .5, .2, 1, .5])
    assert abs(np.quantile(draws @ [.9, .5, .2, 1, .5, 0], .025) - lo) < .001
    assert abs(np.quantile(draws @ [.9, .5, .2, 1, .5, 1], .975) - hi) < .001


if __name__ == '__main__':
    check()
