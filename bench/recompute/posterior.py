"""The posterior rate of a run with sums over labels, from the pairs made up and the labels' probabilities, by
docs/posterior.md.

Of the study's costs, what finitely many extensions add to a bias, and whose tokens count, was read in the program, and
then written there. For runs with gold, contexts of one length and no true pairs beside them, such as the bare run."""
import re
from collections import defaultdict
from math import ceil, exp, log

import numpy as np
from scipy import stats

import draws
import intervals

# What stands in the section and is not computed here, with the reason.
UNCHECKED = {
    r'posterior\.(per_query\[\d+\]\.advice|study\.checks\[\d+\]\.claim|(.*\.)?auroc_interval)$':
        'posterior: advice, what a check claims, and the name of a method',
}
EPS = .02, .05, .1, .2, .5, .75
TURNS = '\n\n'


class Query:
    """One case: p now, after each extension and in another order; of the labels, in the order in which the context
    shows them, and at the end of all other answers."""

    def __init__(self, case, context, records, made, orders):
        self.id, self.input, self.context, self.made = case['id'], case['prompt'], context, made
        tail = self.tail = f'Input: {self.input}\nLabel:'
        self.orders = [o for o in orders if o + tail in records]

        labels = list(dict.fromkeys([d['label'] for d in case['demonstrations']] + case['options']))

        def answers(before):
            p = [records[before + tail][o] for o in labels]
            return np.array(p + [max(0, 1 - sum(p))])
        self.now, self.after = answers(context), [answers(m) for m in made]
        self.turned = [answers(o) for o in self.orders]
        self.gold = labels.index(case['options'][case['gold']['option']])
        self.error = 1 - self.now[self.gold]
        self.right = int(np.argmax(self.now)) == self.gold
        self.entropy = entropy(self.now)
        self.left = [entropy(p) for p in self.after]
        self.information = self.entropy - np.mean(self.left)

    def rates(self, eps):
        return [unlikely(self.now, p, eps) for p in self.after]

    def rate(self, eps):
        return np.mean(self.rates(eps))


def entropy(p):
    return -sum(x * log(x) for x in p if x > 0)


def unlikely(now, then, eps):
    """THR: the mass now of the answers such that after the extension those no likelier have less than eps."""
    return sum(a for a, b in zip(now, then) if then[then <= b].sum() < eps)


def read(suite):
    """The queries, from the records: which pairs were made up, and the labels' probabilities after them."""
    scored, prompts, drawn, plan, seed = {}, {}, {}, suite.plan['posterior'], suite.plan['seed']
    for r in suite.records.values():
        request = r['call']['request']
        prompt = request['prompt']
        if not prompt.startswith('Input: ') or request.get('hidden'):
            continue
        if request.get('options'):
            p = [exp(sum(o['logprobs'])) for o in r['response']['options']]
            prompts[prompt] = r['response']['usage']['prompt_tokens']
            scored[prompt] = dict(zip((o.strip() for o in request['options']), p))
        else:
            drawn[prompt, request['seed']] = r['response']
    queries, made, used = [], {}, []
    starts = {p[:p.rindex('Input: ')] for p in scored}
    for case in suite.plan['suites'][0]['cases']:
        if case.get('form') != 'input-label':
            continue
        context = laid_out(case['demonstrations'])
        if context not in made:  # its first case names it
            made[context] = [
                extended(context, (seed, 'posterior', 'pair', case['id'], i), plan['extend'], drawn, used)
                for i in range(plan['m'])]
        pairs = sorted(context.split(TURNS))
        orders = [o for o in starts if o != context and sorted(o.split(TURNS)) == pairs]
        queries.append(Query(case, context, scored, made[context], orders))
    assert len(used) == len(drawn)  # no pair was made up that no chain has
    every = Queries(queries, suite.plan)
    asked = [m + q.tail for q in queries for m in [q.context, *q.made]]
    every.redrawn = len(used) - len(made) * plan['m'] * plan['extend']
    every.calls = len(used) + len(asked)
    made_in, made_out = (np.mean([u[k] for u in used]) for k in ('prompt_tokens', 'completion_tokens'))
    now = np.mean([prompts[q.context + q.tail] for q in queries]) + 1
    then = np.mean([prompts[m + q.tail] for q in queries for m in q.made]) + 1
    every.tokens = made_in + made_out, now, then
    every.made = made_out, 1
    return every


def extended(text, name, extend, drawn, used):
    """A context with so many made-up pairs: which answer is which chain's, its seed tells."""
    for step in range(extend):
        pair = None
        for again in range(20):
            seed = next(draws.stream(*name, step, again)) >> 12
            response = drawn[text + 'Input:', seed]
            used.append(response['usage'])
            pair = re.fullmatch(r'(.*\S.*)\nLabel: *(.*\S.*)\n*', response['text'])
            if pair:
                break
        text += laid_out([{'input': pair[1].strip(), 'label': pair[2].strip()}])
    return text


def laid_out(pairs):
    return ''.join(f'Input: {p["input"]}\nLabel: {p["label"]}{TURNS}' for p in pairs)


# ---- figures over queries

def gaffke(x, lo=0., hi=1.):
    x = np.asarray(x, float)
    a, b = intervals.mean((x - lo) / (hi - lo))
    return {'estimate': x.mean(), 'lo': lo + (hi - lo) * a, 'hi': lo + (hi - lo) * b}


class Queries:
    """Queries with the context as the unit."""

    def __init__(self, queries, plan):
        self.all, self.plan, self.extend = queries, plan, plan['posterior']['extend']
        self.units = [q.context for q in queries]
        self.contexts = list(dict.fromkeys(self.units))
        self.of = np.array([self.contexts.index(u) for u in self.units])

    def column(self, of):
        return np.array([of(q) for q in self.all])

    def mean(self, of, lo=0., hi=1.):
        by = defaultdict(list)
        for q, x in zip(self.all, self.column(of)):
            by[q.context].append(x)
        return gaffke([np.mean(x) for x in by.values()], lo, hi)

    def at(self, eps):
        """The figures at one eps."""
        most = log(len(self.all[0].now))
        rate, error = self.column(lambda q: q.rate(eps)), self.column(lambda q: q.error)
        information = self.column(lambda q: q.information)
        d = {'n': len(self.all), 'unscored': 0, 'eps': eps, 'unit': 'context', 'phr': self.mean(lambda q: q.rate(eps)),
             'error_rate': self.mean(lambda q: q.error), 'entropy': self.mean(lambda q: q.entropy, 0, most),
             'aleatoric': self.mean(lambda q: np.mean(q.left), 0, most),
             'mutual_information': self.mean(lambda q: q.information, -most, most)}
        d['against_error'] = {**line(rate, error, self.units), 'mae': np.abs(rate - error).mean(),
                              'mse': ((rate - error) ** 2).mean()}
        d['information_against'] = {'phr': line(information, rate, self.units),
                                    'error': line(information, error, self.units)}
        guess = 1 - 1 / (len(self.all[0].now) - 1)
        d['in_capability'] = True if d['error_rate']['hi'] < guess else False if d['error_rate']['lo'] > guess else None
        return d


def line(x, y, units):
    """Least squares of y on x; p by the sandwich over units."""
    n, design = len(x), np.column_stack([np.ones(len(x)), x])
    inverse = np.linalg.inv(design.T @ design)
    b = inverse @ design.T @ y
    e, r = y - design @ b, np.corrcoef(x, y)[0, 1]
    sums = defaultdict(lambda: np.zeros(2))
    for u, row in zip(units, design * e[:, None]):
        sums[u] += row
    g = len(sums)
    meat = sum(np.outer(s, s) for s in sums.values()) * g / (g - 1)
    t = abs(b[1]) / (inverse @ meat @ inverse)[1, 1] ** .5
    return {'n': n, 'slope': b[1], 'intercept': b[0], 'r2': r * r, 'p': 2 * stats.t.sf(t, g - 1)}


def per_query(q, contexts, plan):
    rates, most, m = q.rates(plan['eps']), log(len(q.now)), len(q.after)
    left = gaffke(q.left, 0, most)
    abstain = float(np.mean(rates)) >= plan.get('abstain', .2)
    return {'id': q.id, 'input': q.input, 'phr': gaffke(rates),
            'mutual_information': {
                'estimate': q.information, 'lo': q.entropy - left['hi'], 'hi': q.entropy - left['lo']},
            'standard_error': {'outer': np.std(rates, ddof=1) / m ** .5, 'inner': 0}, 'entropy': q.entropy,
            'aleatoric': left['estimate'], 'other_mass': q.now[-1], 'error_rate': q.error, 'phr_75': q.rate(.75),
            'right': q.right, 'of_context': contexts.index(q.context) + 1, 'abstain': abstain}


def posterior(suite, scores):
    """The section of a run with sums over labels; scores are those of the detectors, by name and case."""
    plan = suite.plan['posterior']
    queries = read(suite)
    every, contexts = queries.all, queries.contexts
    d = queries.at(plan['eps'])
    by = defaultdict(list)
    for q in every:
        by[q.context].append(q.rate(plan['eps']))
    d['estimator'] = plan.get('estimator', 'sum')
    d['standard_error'] = {'outer': np.std([np.mean(x) for x in by.values()], ddof=1) / len(by) ** .5, 'inner': 0}
    d['other_mass'] = queries.column(lambda q: q.now[-1]).mean()
    d['per_query'] = [per_query(q, contexts, plan) for q in every]
    d['abstain_from'], d['abstain'] = plan.get('abstain', .2), sum(q['abstain'] for q in d['per_query'])
    d['context'] = len(every[0].context.split(TURNS)) - 1
    d['extend'], d['m'], d['redrawn'], d['calls'] = plan['extend'], plan['m'], queries.redrawn, queries.calls
    labels = len(every[0].now) - 1
    d['entropy_random'], d['error_random'] = log(labels), 1 - 1 / labels
    d['exchangeability'] = queries.column(lambda q: np.mean([apart(t, q.now) for t in q.turned])).mean()
    d['martingale_gap'] = queries.column(lambda q: apart(np.mean(q.after, axis=0), q.now)).mean()
    d['by_eps_percent'] = {f'{100 * eps:g}': queries.at(eps) for eps in EPS if eps != plan['eps']}
    d['detectors'] = detectors(queries, scores)
    resamples = queries.resamples = draws.Resamples(suite.plan['seed'], len(contexts))
    d['study'] = study(queries, len(contexts))
    return d, resamples


def apart(p, q):
    """Total variation."""
    return np.abs(p - q).sum() / 2


def detectors(queries, scores):
    wrong = ~queries.column(lambda q: q.right)
    lead, eps = queries.column(lambda q: q.rate(.75)), queries.plan['posterior']['eps']
    own = {'phr_75': lead, f'phr_{100 * eps:g}': queries.column(lambda q: q.rate(eps)),
           'mutual_information': queries.column(lambda q: q.information),
           'label_entropy': queries.column(lambda q: q.entropy)}
    out = []
    for name in [*own, *(n for n in ('perplexity', 'entropy', 'entropy_as_published', 'surprisal', 'selfcheck',
                                     'selfcheck_as_published', 'p_true') if n in scores)]:
        x = own.get(name)
        if x is None:
            x = queries.column(lambda q: scores[name][q.id])
        e = {'name': name, 'n': len(x), 'extensions': name in own and name != 'label_entropy'}
        e['auroc'] = dict(zip(('estimate', 'lo', 'hi'), intervals.by_context(x, wrong, queries.units)))
        if name != 'phr_75':
            e['less_phr_75'] = dict(zip(
                ('estimate', 'lo', 'hi'), intervals.paired_by_context(x, lead, wrong, queries.units)))
        out.append(e)
    fewest = min(len({u for u, w in zip(queries.units, wrong) if w == side}) for side in (True, False))
    return {'n': len(wrong), 'wrong': wrong.sum(), 'fewest_contexts': fewest, 'scores': out}


# ---- the study

def study(queries, contexts):
    n = len(queries.all)
    error, information, spread = (queries.column(f) for f in (
        lambda q: q.error, lambda q: q.information, lambda q: q.entropy))
    own = queries.plan['posterior']['eps']
    grid = sorted({*EPS, own})
    rate = {eps: queries.column(lambda q: q.rate(eps)) for eps in grid}

    def relation(x, x_eps, y, y_eps, a, b):
        d = {'x': x, 'x_eps': x_eps, 'y': y, 'y_eps': y_eps, 'context': 0, 'points': n, 'mse': 0,
             **related(queries, a, b)}
        return {**d, **apart_by(queries, a, b)} if x == 'phr' else d
    d = {'contexts': contexts, 'points': n, 'eps': grid, 'relations': [
        relation('phr', eps, 'error', None, rate[eps], error) for eps in sorted(grid, key=lambda x: x != .75)]}
    for name, x in ('mutual_information', information), ('entropy', spread):
        d['relations'].append(relation(name, None, 'error', None, x, error))
        d['relations'] += [relation(name, None, 'phr', eps, x, rate[eps]) for eps in (.05, .75)]
    d['calibration'] = []
    for i in range(10):
        of = [q for q in queries.all if int(min(9, q.rate(.75) * 10)) == i]
        if of:
            inside = Queries(of, queries.plan)
            d['calibration'].append({
                'against': 'error', 'eps': .75, 'from': i / 10, 'to': (i + 1) / 10, 'points': len(of),
                'phr': inside.column(lambda q: q.rate(.75)).mean(), 'is': inside.mean(lambda q: q.error)})
    d['risk_coverage'] = [risk(queries, *of) for of in (
        *(('phr', eps, rate[eps]) for eps in sorted({.05, .75, own})), ('mutual_information', None, information),
        ('entropy', None, spread))]
    most = len(queries.all[0].after)
    ms = [m for m in (2, 5, 10, 20, 50, 100) if m < most] + [most]
    d['ablation'] = [row for k in (10, 50, 0) for row in ablation(queries, ms, k, error)]
    d['cost'] = [costs(queries, eps, k, m) for eps in (.05, .75) for k in (10, 20, 50, 100, 200)
                 for m in (5, 10, 20, 50, 100)]
    return d


def related(queries, x, y):
    """The line of y on x, and R² with its interval; nothing where one of them hardly varies."""
    if min(np.ptp(x), np.ptp(y)) < .01:
        return {'r': None, 'r2': None, 'slope': None, 'p': None}
    of, x, y = line(x, y, queries.units), x - x.mean(), y - y.mean()

    def squared(times):
        w = times[:, queries.of]
        n = w.sum(1)
        mx, my = w @ x / n, w @ y / n
        vx, vy, c = w @ (x * x) / n - mx * mx, w @ (y * y) / n - my * my, w @ (x * y) / n - mx * my
        with np.errstate(divide='ignore', invalid='ignore'):
            return np.where((vx > 1e-12) & (vy > 1e-12), np.minimum(1, c * c / (vx * vy)), np.nan)
    lo, hi = ends(queries, of['r2'], squared)
    return {'r': np.corrcoef(x, y)[0, 1], 'slope': of['slope'], 'p': of['p'],
            'r2': {'estimate': of['r2'], 'lo': 0. if of['p'] > 1 - intervals.LEVEL else lo[0], 'hi': hi[0]}}


def ends(queries, value, statistic):
    """Percentiles over resamples of the contexts, which reach the value."""
    lo, hi = queries.resamples.bounds(statistic, intervals.LEVEL)
    return np.minimum(lo, value), np.maximum(hi, value)


def apart_by(queries, x, y):
    return {'mae': queries_mean(queries, np.abs(x - y)), 'mse': ((x - y) ** 2).mean()}


def ablation(queries, ms, k, error):
    """What the first M extensions would have said, by sums or by K draws."""
    extend, eps = queries.extend, .75
    chains = np.array([[by_draws(queries, i, c, eps, k) for c in range(ms[-1])] if k else q.rates(eps)
                       for i, q in enumerate(queries.all)])
    for m in ms:
        rate = chains[:, :m].mean(1)
        of = related(queries, rate, error)
        if k:
            expect = np.array([[drawn_rate(q.now, p, eps, k) for p in q.after[:m]] for q in queries.all])
            mean, variance = expect.sum((0, 1))
            queries.resamples.checked += 1
            if draws.unlikely_sum(abs(chains[:, :m].sum() - mean), variance) < draws.RISK / 100:
                queries.resamples.off.append(f'the ablation of M {m}, K {k} is not what so many draws say')
        yield {'extend': extend, 'm': m, 'k': k, 'against': 'error', 'eps': eps, 'phr': rate.mean(), 'r2': of['r2'],
               'slope': of['slope'], **apart_by(queries, rate, error),
               'calls': m * (extend + 2 * k) if k else m * (extend + 1) + 1}


def by_draws(queries, i, chain, eps, k):
    """The source's Algorithm 2 for a query after an extension: K answers from then, of which the ⌈eps K⌉-th least
    likely is the quantile, and the share of K answers from now below it."""
    q = queries.all[i]
    numbers = draws.stream(queries.plan['seed'], 'posterior', 'ablation', 0, k, i, chain)
    then = q.after[chain]
    first = sorted(then[draws.label(numbers, then)] for _ in range(k))
    second = [then[draws.label(numbers, q.now)] for _ in range(k)]
    return sum(p < first[ceil(eps * k) - 1] for p in second) / k


def drawn_rate(now, then, eps, k):
    """Mean and variance of the share of k answers that lie strictly below the quantile of k draws."""
    j = ceil(eps * k)
    levels = sorted(set(then))
    upto = stats.beta.cdf(np.minimum(1, [then[then <= x].sum() for x in levels]), j, k + 1 - j)
    upto[-1] = 1
    chance, below = np.diff(upto, prepend=0), np.array([now[then < x].sum() for x in levels])
    mean = chance @ below
    return mean, chance @ (below * (1 - below)) / k + chance @ (below - mean) ** 2


def costs(queries, eps, k, m):
    """The mean squared error of the published estimator, and what it and sums take for the same."""
    bias, outer, inner, spread = [], [], [], []
    for q in queries.all:
        rates = q.rates(eps)
        means, noise = zip(*(drawn_rate(q.now, p, eps, k) for p in q.after))
        off = np.subtract(means, rates)
        bias.append(off.mean() ** 2 - np.var(off, ddof=1) / len(off))  # without what finitely many extensions add
        outer.append(np.var(means, ddof=1))
        inner.append(np.mean(noise))
        spread.append(np.var(rates, ddof=1))
    e, (pair, now, then), (made, label) = queries.extend, queries.tokens, queries.made
    d = {'context': 0, 'eps': eps, 'extend': e, 'm': m, 'k': k, 'bias': max(0, np.mean(bias)),
         'outer': np.mean(outer) / m, 'inner': np.mean(inner) / m, 'calls': m * (e + 2 * k), 'requests': m * (e + 2),
         'tokens': m * (e * pair + k * (now + then)), 'made_tokens': m * (e * made + 2 * k * label)}
    d['mse'] = d['bias'] + d['outer'] + d['inner']
    s = d['sum_m'] = max(1., np.mean(spread) / d['mse'])
    d['sum_calls'] = s * (e + 1) + 1
    d['sum_tokens'] = s * (e * pair + then) + now
    d['sum_made_tokens'] = s * (e * made + label) + label
    parts = np.array([bias, np.array(outer), inner, spread]).T
    parts = np.array([parts[queries.of == c].sum(0) for c in range(len(queries.contexts))])
    sizes = np.bincount(queries.of)
    for what, mine, each, once in (
            ('calls', 'calls', e + 1, 1), ('requests', 'calls', e + 1, 1),
            ('tokens', 'tokens', e * pair + then, now), ('made_tokens', 'made_tokens', e * made + label, label)):
        def fewer(times):
            b, o, i, s = (times @ parts).T / (times @ sizes)
            ms = np.maximum(1, s / (np.maximum(b, 0) + (o + i) / m))
            return np.where(s > 0, d[what] / (ms * each + once), np.nan)
        value = d[what] / d['sum_' + mine]
        lo, hi = ends(queries, value, fewer)
        d['times_fewer_' + what] = {'estimate': value, 'lo': lo[0], 'hi': hi[0]}
    return d


def queries_mean(queries, x):
    by = defaultdict(list)
    for u, v in zip(queries.units, x):
        by[u].append(v)
    return gaffke([np.mean(v) for v in by.values()])


def risk(queries, name, eps, score):
    """The error among the queries of the lowest scores, over the share that is answered."""
    error = queries.column(lambda q: q.error)
    n, order = len(error), np.argsort(score, kind='stable')

    def curves(order, last, times):
        """Of resamples: the area, what it gains, and the errors at each share. Queries of one score come in any order:
        between the last of each score the errors rise evenly."""
        w = times[:, queries.of[order]]
        k, e = np.cumsum(w, 1)[:, last], np.cumsum(w * error[order], 1)[:, last]
        rows = []
        for k, e in zip(k, e):
            many = np.arange(1, k[-1] + 1)
            risks = np.interp(many, np.append(0, k), np.append(0, e)) / many
            rows.append([risks.mean(), e[-1] / k[-1] - risks.mean(), *risks[-(-np.arange(1, 21) * k[-1] // 20) - 1]])
        return np.array(rows)
    once, last = np.ones((1, len(queries.contexts)), int), np.append(np.diff(score[order]) > 0, True)
    values = curves(order, last, once)[0]
    lo, hi = ends(queries, values, lambda times: curves(order, last, times))
    best = np.argsort(error, kind='stable')
    d = {'score': name, 'eps': eps, 'area_random': error.mean(),
         'area_best': curves(best, np.full(n, True), once)[0, 0], 'curve': [],
         **{k: {'estimate': values[i], 'lo': lo[i], 'hi': hi[i]} for i, k in enumerate(('area', 'gain'))}}
    everything = queries_mean(queries, error)
    for x in d['area'], d['gain']:
        if x['lo'] == x['hi']:
            x.update(wider(x, everything))
    for i in range(20):
        k = -(-(i + 1) * n // 20)
        of = Queries([queries.all[j] for j in order[:k]], queries.plan).mean(lambda q: q.error)
        d['curve'].append({'coverage': (i + 1) / 20, 'threshold': score[order[k - 1]],
                           **wider({'estimate': values[i + 2], 'lo': lo[i + 2], 'hi': hi[i + 2]}, of)})
    return d


def wider(x, by):
    """An interval that is as wide on both sides as by, or wider, in [0, 1] where by reaches further."""
    value = x['estimate']
    return {'estimate': value, 'lo': min(x['lo'], max(0, value - (by['estimate'] - by['lo']))),
            'hi': max(x['hi'], min(1, value + by['hi'] - by['estimate']))}
