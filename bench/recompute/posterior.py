"""The posterior rate of a run with sums over labels, from the pairs made up and the labels' probabilities, by
docs/posterior.md.

Of the study's costs, what finitely many extensions add to a bias, and whose tokens count, was read in the program, and
then written there. For runs with gold, contexts of one length and no true pairs beside them, such as the bare run."""
import re
from collections import defaultdict
from math import ceil, exp, log

import numpy as np
from scipy import stats

import intervals

# What stands in the section and is not computed here, with the reason.
UNCHECKED = {
    r'posterior\.(.*\.)?(warnings|limits|missing|checks)\[': 'posterior: sentences',
    r'posterior\.study\.((relations|ablation)\[\d+\]\.r2|(risk_coverage|cost)\[\d+\].*)\.(lo|hi)$':
        'posterior: bounds of R², curves, areas and costs by resampling contexts, from the seed',
    r'posterior\.study\.ablation\[[0-7]\]\.(phr|r2|slope|mae|mse)':
        'posterior: what K seeded draws would say, and the first M of the chains, whose order is not in the records',
    r'posterior\.(per_query\[\d+\]\.advice|(.*\.)?(unit|estimator|auroc_interval)$)': 'posterior: words',
}
EPS = .02, .05, .1, .2, .5, .75
TURNS = '\n\n'


class Query:
    """One case: p now, after each extension and in another order; the labels, and all other answers behind them."""

    def __init__(self, case, context, records, made, orders):
        self.id, self.input, self.context, self.made = case['id'], case['prompt'], context, made
        tail = self.tail = f'Input: {self.input}\nLabel:'
        self.orders = [o for o in orders if o + tail in records]

        def answers(before):
            p = [records[before + tail][o] for o in case['options']]
            return np.array(p + [max(0, 1 - sum(p))])
        self.now, self.after = answers(context), [answers(m) for m in made]
        self.turned = [answers(o) for o in self.orders]
        self.gold = case['gold']['option']
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
    scored, drawn = {}, defaultdict(list)
    used, prompts = [], {}
    for r in suite.records.values():
        request = r['call']['request']
        if not request['prompt'].startswith('Input: '):
            continue
        if request.get('options') and not request.get('hidden'):
            p = [exp(sum(o['logprobs'])) for o in r['response']['options']]
            prompts[request['prompt']] = r['response']['usage']['prompt_tokens']
            scored[request['prompt']] = dict(zip((o.strip() for o in request['options']), p))
        elif not request.get('options'):
            if re.fullmatch(r' .*\S.*\nLabel: .*\S.*\n*', r['response']['text']):
                drawn[request['prompt']].append(r['response']['text'])
            used.append(r['response']['usage'])
    queries, starts = [], {p[:p.rindex('Input: ')] for p in scored}
    for case in suite.plan['suites'][0]['cases']:
        if case.get('form') != 'input-label':
            continue
        context = laid_out(case['demonstrations'])
        made = [context]
        for _ in range(suite.plan['posterior']['extend']):
            made = [m + 'Input:' + text.rstrip('\n') + TURNS for m in sorted(set(made)) for text in drawn[m + 'Input:']]
        pairs = sorted(context.split(TURNS))
        orders = [o for o in starts if o != context and sorted(o.split(TURNS)) == pairs]
        queries.append(Query(case, context, scored, made, orders))
    every = Queries(queries, suite.plan['posterior'])
    asked = {m + q.tail for q in queries for m in [q.context, *q.made]}
    checked = {o + q.tail for q in queries for o in q.orders}
    every.redrawn = len(used) - sum(map(len, drawn.values()))
    every.calls = len(used) + len(asked)
    made_in, made = (np.mean([u[k] for u in used]) for k in ('prompt_tokens', 'completion_tokens'))
    every.tokens, every.made = (made_in + made, np.mean([prompts[p] for p in asked | checked]) + 1), (made, 1)
    return every


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
        self.all, self.plan, self.extend = queries, plan, plan['extend']
        self.units = [q.context for q in queries]

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
        d = {'n': len(self.all), 'unscored': 0, 'eps': eps, 'phr': self.mean(lambda q: q.rate(eps)),
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
    every = queries.all
    contexts = list(dict.fromkeys(q.context for q in every))
    d = queries.at(plan['eps'])
    by = defaultdict(list)
    for q in every:
        by[q.context].append(q.rate(plan['eps']))
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
    d['study'] = study(queries, len(contexts))
    return d


def apart(p, q):
    """Total variation."""
    return np.abs(p - q).sum() / 2


def detectors(queries, scores):
    wrong = ~queries.column(lambda q: q.right)
    lead = queries.column(lambda q: q.rate(.75))
    own = {'phr_75': lead, 'phr_5': queries.column(lambda q: q.rate(.05)),
           'mutual_information': queries.column(lambda q: q.information),
           'label_entropy': queries.column(lambda q: q.entropy)}
    out = []
    for name in [*own, 'perplexity', 'entropy', 'entropy_as_published', 'surprisal', 'selfcheck',
                 'selfcheck_as_published', 'p_true']:
        x = own.get(name)
        if x is None:
            x = queries.column(lambda q: scores[name][q.id])
        e = {'name': name, 'n': len(x), 'extensions': name in ('phr_75', 'phr_5', 'mutual_information')}
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
    rate = {eps: queries.column(lambda q: q.rate(eps)) for eps in EPS}

    def relation(x, x_eps, y, y_eps, a, b):
        of = line(a, b, queries.units)
        d = {'x': x, 'x_eps': x_eps, 'y': y, 'y_eps': y_eps, 'context': 0, 'points': n,
             'r': np.corrcoef(a, b)[0, 1], 'r2': {'estimate': of['r2']}, 'slope': of['slope'], 'p': of['p'], 'mse': 0}
        if x == 'phr':
            d['mae'] = queries_mean(queries, np.abs(a - b))
            d['mse'] = ((a - b) ** 2).mean()
        return d
    d = {'contexts': contexts, 'points': n, 'eps': list(EPS), 'relations': [
        relation('phr', eps, 'error', None, rate[eps], error) for eps in (.75, .02, .05, .1, .2, .5)]}
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
        ('phr', .05, rate[.05]), ('phr', .75, rate[.75]), ('mutual_information', None, information),
        ('entropy', None, spread))]
    d['ablation'] = [ablation(queries, m, k, rate[.75], error) for k in (10, 50, 0) for m in (2, 5, 10)]
    d['cost'] = [costs(queries, eps, k, m) for eps in (.05, .75) for k in (10, 20, 50, 100, 200)
                 for m in (5, 10, 20, 50, 100)]
    return d


def ablation(queries, m, k, rate, error):
    """What fewer extensions would have said; the figures are of all of them."""
    extend = queries.extend
    return {'extend': extend, 'm': m, 'k': k, 'against': 'error', 'eps': .75, 'phr': rate.mean(),
            'r2': {'estimate': line(rate, error, queries.units)['r2']},
            'slope': line(rate, error, queries.units)['slope'], 'mae': queries_mean(queries, np.abs(rate - error)),
            'mse': ((rate - error) ** 2).mean(), 'calls': m * (extend + 2 * k) if k else m * (extend + 1) + 1}


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
    e, (pair, answer), (made, label) = queries.extend, queries.tokens, queries.made
    d = {'context': 0, 'eps': eps, 'extend': e, 'm': m, 'k': k, 'bias': max(0, np.mean(bias)),
         'outer': np.mean(outer) / m, 'inner': np.mean(inner) / m, 'calls': m * (e + 2 * k), 'requests': m * (e + 2),
         'tokens': m * (e * pair + 2 * k * answer), 'made_tokens': m * (e * made + 2 * k * label)}
    d['mse'] = d['bias'] + d['outer'] + d['inner']
    s = d['sum_m'] = max(1., np.mean(spread) / d['mse'])
    d['sum_calls'] = s * (e + 1) + 1
    d['sum_tokens'] = s * (e * pair + answer) + answer
    d['sum_made_tokens'] = s * (e * made + label) + label
    for what, mine in ('calls', 'calls'), ('requests', 'calls'), ('tokens', 'tokens'), ('made_tokens', 'made_tokens'):
        d['times_fewer_' + what] = {'estimate': d[what] / d['sum_' + mine]}
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

    def area(order):
        return (np.cumsum(error[order]) / np.arange(1, n + 1)).mean()
    d = {'score': name, 'eps': eps, 'area': {'estimate': area(order)}, 'area_random': error.mean(),
         'area_best': area(np.argsort(error, kind='stable')), 'curve': []}
    d['gain'] = {'estimate': d['area_random'] - d['area']['estimate']}
    for i in range(1, 21):
        k = -(-i * n // 20)
        of = Queries([queries.all[j] for j in order[:k]], queries.plan)
        d['curve'].append({'coverage': i / 20, 'threshold': score[order[k - 1]], **of.mean(lambda q: q.error)})
    return d
