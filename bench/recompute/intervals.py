"""The intervals of docs/methods.md, section 6, and of docs/detection.md: nothing here is taken from the program, and the
bound on a mean is inverted in another way. Each returns (lo, hi), an area also its value."""
from math import asinh, exp, log, sqrt

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


def paired(difference, level=LEVEL):
    lo, hi = mean((1 + np.asarray(difference, float)) / 2, level)
    return 2 * lo - 1, 2 * hi - 1


def median(x):
    """Order statistics: the largest k with P(Bin(n, 1/2) < k) <= .025."""
    x, n = np.sort(x), len(x)
    k = max(k for k in range(n) if stats.binom.cdf(k - 1, n, .5) <= .025)
    return x[k - 1], x[n - k]


def placements(x, y):
    """For each x the share of y below it, ties half."""
    y = np.sort(y)
    return (np.searchsorted(y, x, 'left') + np.searchsorted(y, x, 'right')) / 2 / len(y)


def auroc(failing, passing, level=LEVEL):
    """Newcombe's interval (his method 5), joined with DeLong's on the logit scale; see docs/detection.md."""
    m, n = len(failing), len(passing)
    px, py = placements(failing, passing), 1 - placements(passing, failing)
    value, star, z = px.mean(), (m + n) / 2 - 1, stats.norm.ppf((1 + level) / 2)

    def miss(t):
        return abs(value - t) - z * sqrt(t * (1 - t) / (m * n) * (1 + star * (1 - t) / (2 - t) + star * t / (1 + t)))
    lo = optimize.brentq(miss, 0, value, xtol=1e-15) if value > 0 else 0.
    hi = optimize.brentq(miss, value, 1, xtol=1e-15) if value < 1 else 1.
    if 0 < value < 1 and m > 1 and n > 1:
        vx, vy = px.var(ddof=1) / m, py.var(ddof=1) / n
        if vx + vy > 0:
            df = (vx + vy) ** 2 / (vx ** 2 / (m - 1) + vy ** 2 / (n - 1))
            half = stats.t.ppf((1 + level) / 2, df) * sqrt(vx + vy) / (value * (1 - value))
            logit = log(value / (1 - value))
            lo, hi = min(lo, 1 / (1 + exp(half - logit))), max(hi, 1 / (1 + exp(-half - logit)))
    return value, lo, hi


def areas_apart(first, failing, second, others, level=LEVEL):
    """The AUROC of first on the labels failing less that of second on the labels others, over the same cases."""
    def influence(score, bad):
        px, py = placements(score[bad], score[~bad]), 1 - placements(score[~bad], score[bad])
        add = np.empty(len(score))
        add[bad], add[~bad] = (px - px.mean()) / bad.sum(), (py - px.mean()) / (~bad).sum()
        return px.mean(), add
    a, psi = influence(first, failing)
    b, phi = influence(second, others)
    least = min(failing.sum(), (~failing).sum(), others.sum(), (~others).sum())
    spread = ((psi - phi) ** 2).sum()
    alike = first is second and (failing == others).all()
    if least < 10 or spread == 0 or alike:
        return a - b, -1., 1.
    half = stats.t.ppf((1 + level) / 2, least - 1) * sqrt(spread)
    return a - b, max(-1., a - b - half), min(1., a - b + half)


def check():
    """On values of 0 and 1 the bound is Clopper and Pearson's; elsewhere a million draws agree to .001."""
    for n in (1, 2, 10, 600):
        for k in (0, 1, n // 2, n):
            lo, hi = mean([1] * k + [0] * (n - k))
            assert abs(lo - (stats.beta.ppf(.025, k, n - k + 1) if k else 0)) < 1e-12
            assert abs(hi - (stats.beta.ppf(.975, k + 1, n - k) if k < n else 1)) < 1e-12
    draws = np.random.default_rng(1).dirichlet([1] * 6, 1_000_000)
    lo, hi = mean([.9, .5, .2, 1, .5])
    assert abs(np.quantile(draws @ [.9, .5, .2, 1, .5, 0], .025) - lo) < .001
    assert abs(np.quantile(draws @ [.9, .5, .2, 1, .5, 1], .975) - hi) < .001


if __name__ == '__main__':
    check()
