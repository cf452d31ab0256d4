"""Computes every figure of the result document of an evidence bundle again, from the answers and how each was read.

	python3 recompute.py BUNDLE.zip | FOLDER	# a bundle, or a folder that it was unpacked to

Written from docs/methods.md, docs/detection.md, docs/posterior.md and docs/evidence.md, without the program's code but
for what the other files say. It reads plan.json (the questions), verdicts.jsonl, golds.jsonl and the texts and
log-probabilities in records.jsonl, and result.json only to compare. It exits with 1 where a figure differs by more than
1e-9, or is missing on either side.
"""
import json
import os
import re
import sys
import zipfile
from collections import Counter, defaultdict
from fractions import Fraction
from math import comb, exp, floor, log

import numpy as np

import intervals
import posterior
import said
import slices

# What stands in the document and is not computed here, with the reason.
UNCHECKED = {
    **posterior.UNCHECKED,
    r'rubric\.outcomes\.grading\.implied\.': 'what a check of the grader implies: the check is not in the bundle',
    r'findings\[\d+\]\.(advice|path)': 'words; the numbers in the sentences are checked',
    r'detection\.auroc_interval$': 'the name of a method',
}
RIGHT, RIGHT_ACT, DECLINED, UNREAD = '\x00', '\x01right-act', '\x01declined', '\x01unread'
AXES = 'truth', 'decidability', 'reciprocity', 'format'
GOLD = RIGHT, RIGHT_ACT
KINDS = {'commission': 'commission', 'over_refusal': 'over-refusal', 'undecided': 'undecided'}


def read(path):
    if os.path.isdir(path):
        def member(name):
            with open(os.path.join(path, name), encoding='utf-8', newline='') as f:
                return f.read()
    else:
        bundle = zipfile.ZipFile(path)

        def member(name):
            return bundle.read(name).decode()

    def lines(name):  # a line ends at a line feed alone
        return [json.loads(line) for line in member(name).split('\n') if line]
    return (json.loads(member('plan.json')), lines('verdicts.jsonl'), lines('golds.jsonl'),
            {r['key']: r for r in lines('records.jsonl')}, json.loads(member('result.json')))


# ---- one answer

def hallucinated(v):
    """H of one answer, None where it is unscored."""
    said = [v[a]['verdict'] for a in AXES[:3]]
    if 'fail' in said:
        return 1
    return None if 'ungradable' in said or 'unscored' in said else 0


def axis(name):
    return lambda v: {'fail': 1, 'pass': 0}.get(v[name]['verdict'])


def kind(name):
    return lambda v: None if hallucinated(v) is None else int(hallucinated(v) and v.get('kind') == name)


def quality(weights):
    def measure(v):
        said = [v[a]['verdict'] for a in AXES[:3]]
        if v['truth']['verdict'] == 'n/a' or not set(said) <= {'pass', 'fail', 'n/a'}:
            return None
        return sum(w for w, s in zip(weights, said) if s != 'fail')
    return measure


# ---- the rubric

class Rows:
    """Answers with the weight of each and the unit, a cluster of cases, that it belongs to."""

    def __init__(self, rows, by_case):
        self.rows, self.by_case = rows, by_case  # (verdict, case, weight); whether a case has several answers

    def units(self, measure):
        k, m, cases = defaultdict(float), defaultdict(float), defaultdict(set)
        for v, c, w in self.rows:
            x = measure(v)
            if x is not None:
                k[c.cluster] += w * x
                m[c.cluster] += w
                cases[c.cluster].add(c.id)
        alone = not self.by_case and all(len(s) == 1 for s in cases.values())
        return np.array(list(k.values())), np.array(list(m.values())), alone

    def share(self, measure, name='rate'):
        k, m, alone = self.units(measure)
        if not len(m):
            return None
        if alone and name == 'rate':
            lo, hi = intervals.wilson(k.sum(), m.sum())
        else:
            lo, hi = intervals.ratio(k, m)
        return {name: k.sum() / m.sum(), 'lo': lo, 'hi': hi}

    def ranged(self, hit, of):
        """The share of answers for which hit holds among those for which of does, ungradable ones being either."""
        def bound(lost):
            return self.share(lambda v: int(hit(v)) if of(v) else int(lost) if v['outcome'] == 'ungradable' else None)
        least, most = bound(False), bound(True)
        if least is None or least['rate'] == most['rate']:
            return least
        return {'range': {'lo': least['rate'], 'hi': most['rate']}, 'lo': least['lo'], 'hi': most['hi']}

    def outcomes(self):
        def outcome(*names):
            return lambda v: v['outcome'] in names

        def gradable(v):
            return v['outcome'] != 'ungradable'
        d = {name: self.ranged(outcome(name), gradable) for name in ('correct', 'incorrect', 'not_attempted')}
        d['n'] = len(self.rows)
        d['ungradable'] = self.share(lambda v: int(not gradable(v)))
        d['unsupported'] = self.ranged(lambda v: v['reciprocity']['verdict'] == 'fail', outcome('correct'))
        d['incorrect_given_attempted'] = self.ranged(outcome('incorrect'), outcome('correct', 'incorrect'))
        graders = Counter(v['grader'] for v, _, _ in self.rows)
        d['grading'] = {'state': 'as_read', 'labelled': 0, 'fw': None, 'fr': None, 'as_read': d['incorrect'],
                        'graders': {g: {'n': n} for g, n in graders.items()}}
        return d

    def group(self, suite):
        d = {'outcomes': self.outcomes(), 'hallucination': self.share(hallucinated)}
        for a in AXES[:3]:
            d[a + '_error'] = self.share(axis(a))
        for name, k in KINDS.items():
            d[name] = self.share(kind(k))
        d['format_compliance'] = self.share(lambda v: {'pass': 1, 'fail': 0}.get(v['format']['verdict']))
        d['weighted_quality'] = self.share(quality(suite.weights), 'estimate')
        return d


def rubric_group(rows, suite):
    rows = Rows([(c.default, c, 1) for c in rows], False)
    d = rows.group(suite)
    answerable = Rows([r for r in rows.rows if r[1].answerable], False)
    d['over_refusal_of_answerable'] = answerable.share(kind('over-refusal'))
    d['format_error'] = rows.share(axis('format'))
    d['n'] = sum(hallucinated(v) is not None for v, _, _ in rows.rows)
    d['unread'], d['unscored'] = sum(v['outcome'] == 'ungradable' for v, _, _ in rows.rows), 0
    d['errors_per_case'] = sum(d[a + '_error']['rate'] for a in AXES[:3])
    s = d['weighted_quality']
    d['weighted_hallucination'] = s and {'estimate': 1 - s['estimate'], 'lo': 1 - s['hi'], 'hi': 1 - s['lo']}
    return d


def confusion(cases):
    rows, d = Rows([(c.default, c, 1) for c in cases], False), {}
    for a in AXES:
        measure = axis(a)
        scored = [measure(c.default) for c in cases if measure(c.default) is not None]
        share = rows.share(measure) or {'rate': None, 'lo': None, 'hi': None}
        d[a] = {'n': len(scored), 'failed': sum(scored), **share}
    return d


def rubric(suite):
    d = rubric_group(suite.cases, suite)
    groups = {'class': suite.grouped(lambda c: [c.cls]), 'domain': suite.grouped(lambda c: [c.domain]),
              'tag': suite.grouped(lambda c: c.tags)}
    for name, g in groups.items():
        d['by_' + name] = {k: rubric_group(cs, suite) for k, cs in g.items()}
    d['confusion'] = {'by_' + name: {k: confusion(cs) for k, cs in groups[name].items()} for name in ('class', 'tag')}
    d['unread_share'] = d['outcomes']['ungradable']
    d['slices'] = slices.slices(suite.cases, lambda cs: Rows([(c.default, c, 1) for c in cs], False).outcomes())
    if len({c.cluster for c in suite.cases}) < len(suite.cases):
        d['clusters'] = len({c.cluster for c in suite.cases})
    rows = Rows([(v, c, 1 / len(c.greedy)) for c in suite.cases for v in c.greedy], True)
    over = d['over_variants'] = rows.group(suite)
    over['cases'] = len(suite.cases)
    over['answers'] = sum(hallucinated(v) is not None for v, _, _ in rows.rows)
    over['unread_share'] = over['outcomes']['ungradable']
    over['unread'] = sum(v['outcome'] == 'ungradable' for v, _, _ in rows.rows)
    over['unscored'] = 0
    return d


# ---- consistency

class Counted:
    """The scored answers of one case: its classes in the order of their variants."""

    def __init__(self, case, answers, key):
        self.case, self.cluster = case, case.cluster
        scored = [v for v in answers if v.get('class', UNREAD) != UNREAD]
        self.lost = len(answers) - len(scored)

        def name(v):  # all answers that the grader passes are one class; the right act where none is right is another
            return RIGHT if v['class'] in case.golds - {RIGHT_ACT} else v['class']
        self.at = {v[key]: name(v) for v in scored}
        self.classes = list(self.at.values())
        self.declined = sum(v['act'] == 'declined' or v['class'] == DECLINED for v in scored)
        self.r = len(self.classes)
        if self.r < 2:
            return
        self.counts = Counter(self.classes)
        r, c = self.r, self.counts
        self.most = max(c.values())
        self.mode = next(x for x in self.classes if c[x] == self.most)
        self.right_mode = self.mode in GOLD
        self.pc = self.most / r
        self.sc = Fraction(sum(n * (n - 1) for n in c.values()), r * (r - 1))
        right = self.right = sum(n for a, n in c.items() if a in GOLD)
        wrong = [n for a, n in c.items() if a not in GOLD]
        self.p = right / r
        self.bias = ((r - right) * (r - right - 1) + sum(n * (n - 1) for n in wrong)) / (2 * r * (r - 1))
        self.variance = (r * (r - 1) - sum(n * (n - 1) for n in [right] + wrong)) / (2 * r * (r - 1))
        squares = sum((n / r) ** 2 for n in wrong)
        self.plug_bias = ((1 - self.p) ** 2 + squares) / 2
        self.plug_variance = (1 - self.p ** 2 - squares) / 2
        self.entropy = -sum(n / r * log(n / r) for n in c.values() if n)

    def at_most(self, m):
        return 1 - sum(comb(n, m) for n in self.counts.values()) / comb(self.r, m)

    def category(self, tau):
        if self.sc < tau:
            return 'randomness'
        return 'prompt_agnostic_factual' if self.right_mode else 'prompt_agnostic_error'


def together(cs):
    """Whether two of the cases are of one cluster."""
    return len({c.cluster for c in cs}) < len(cs)


def bounds(cs, x):
    """The interval of the mean of x in [0, 1], one of each case, by cluster."""
    k, m = defaultdict(float), Counter(c.cluster for c in cs)
    for c, v in zip(cs, x):
        k[c.cluster] += v
    return intervals.ratio([k[u] for u in m], list(m.values()))


def share(cs, hit):
    hits = [hit(c) for c in cs]
    if not hits:
        return None
    lo, hi = bounds(cs, hits) if together(cs) else intervals.wilson(sum(hits), len(hits))
    return {'estimate': sum(hits) / len(hits), 'lo': lo, 'hi': hi}


def mean(cs, value, name='estimate', scale=1):
    """The mean of values in [0, scale]."""
    x = [value(c) for c in cs]
    lo, hi = bounds(cs, np.array(x, float) / scale)
    return {name: sum(x) / len(x), 'lo': lo * scale, 'hi': hi * scale}


def clusters(d, cs):
    """Says of how many clusters the cases are, where they are fewer."""
    if together(cs):
        d['clusters'] = len({c.cluster for c in cs})


CATEGORIES = 'prompt_agnostic_factual', 'prompt_agnostic_error', 'randomness'
LEVELS = (Fraction(3, 10), 'insufficient'), (Fraction(6, 10), 'limited')


def robustness(ss):
    for edge, word in LEVELS:
        if ss < edge:
            return word
    return 'substantial' if ss <= Fraction(9, 10) else 'high'


def consistency(every, tau, sampled=False):
    cs = [c for c in every if c.r > 1]
    n = len(cs)
    d = {'questions': n, 'not_asked': len(every) - n, 'n': sum(c.r for c in cs), 'unscored': 0, 'tau': float(tau),
         'level': intervals.LEVEL, 'variants': {'min': min(c.r for c in cs), 'max': max(c.r for c in cs)}}
    d['ungradable'] = d['unread'] = sum(c.lost for c in every)
    d['_answers'] = sum(c.r + c.lost for c in every)  # for a sentence, and not in the document
    clusters(d, cs)
    d['semantic_stability'] = mean(cs, lambda c: c.pc)
    d['pc_intervals'] = {'below_0.5': share(cs, lambda c: 2 * c.most < c.r),
                         'at_least_0.8': share(cs, lambda c: 5 * c.most >= 4 * c.r)}
    for k, v in d['pc_intervals'].items():
        d['pc_' + k] = v['estimate']
    d['pc_floor'] = sum(1 / c.r for c in cs) / n
    d['robustness_level'] = robustness(sum(Fraction(c.most, c.r) for c in cs) / n)
    d['ambiguity'] = share(cs, lambda c: len(c.counts) > 1)
    r = d['variants']['min']
    d['ambiguity_at_r'] = {'r': r, **mean(cs, lambda c: c.at_most(r))}
    d['self_consistency'] = mean(cs, lambda c: float(c.sc), 'mean')
    d['prompt_sensitive'] = share(cs, lambda c: c.sc < tau)
    d['answer_entropy_nats'] = sum(c.entropy for c in cs) / n
    by = defaultdict(list)
    for c in cs:
        for v, x in c.at.items():
            by[v].append(x in GOLD)
    d['accuracy'] = {**mean(cs, lambda c: c.p, 'mean'), 'questions': n,
                     'sd': np.std([np.mean(x) for x in by.values()], ddof=1)}
    d['taxonomy_intervals'] = {k: share(cs, lambda c: c.category(tau) == k) for k in CATEGORIES}
    d['quadrant_intervals'] = {
        s + '_' + w: share(cs, lambda c: (c.sc >= tau) == (s == 'stable') and c.right_mode == (w == 'correct'))
        for s in ('stable', 'unstable') for w in ('correct', 'wrong')}
    for name in 'taxonomy', 'quadrant':
        of = d[name + '_intervals']
        d[name + 's' * (name == 'quadrant')] = {k: v['estimate'] for k, v in of.items()}
    declined = sum(c.declined for c in cs)
    if declined:
        d['declined'] = {'share': declined / d['n']}
        wrong = [c for c in cs if c.category(tau) == 'prompt_agnostic_error']
        if wrong:
            d['declined']['of_prompt_agnostic_error'] = sum(c.mode == DECLINED for c in wrong) / len(wrong)
    decomposition(d, cs)
    if sampled:
        return d
    old_terms(d, cs, tau)
    d['sweep'] = sweep(cs, tau)
    return d


def decomposition(d, cs):
    i = d['decomposition_intervals'] = {
        'error': mean(cs, lambda c: 1 - c.p), 'bias_squared': mean(cs, lambda c: c.bias),
        'variance': mean(cs, lambda c: c.variance, scale=.5), 'mode_error': share(cs, lambda c: not c.right_mode),
        'plug_in': {'bias_squared': mean(cs, lambda c: c.plug_bias),
                    'variance': mean(cs, lambda c: c.plug_variance, scale=.5)}}
    d['decomposition'] = {k: v['estimate'] for k, v in i.items() if k != 'plug_in'}
    d['decomposition']['plug_in'] = {k: v['estimate'] for k, v in i['plug_in'].items()}


def old_terms(d, cs, tau):
    asked = [c for c in cs if 0 in c.at]
    d['accuracy']['default'] = sum(c.at[0] in GOLD for c in asked) / len(asked)
    gap = [(c.at[0] in GOLD) - (c.category(tau) == 'prompt_agnostic_factual') for c in asked]
    lo, hi, d['overstatement_p'] = intervals.paired(gap, [c.cluster for c in asked])
    d['overstatement'] = {'estimate': sum(gap) / len(gap), 'lo': lo, 'hi': hi}
    d['old_terms'] = {'questions': len(asked), 'default_in_minority': sum(
        c.sc >= tau and (c.at[0] in GOLD) != c.right_mode for c in asked)}
    for name, right in ('factual', True), ('hallucination', False):
        of = [c for c in asked if (c.at[0] in GOLD) == right]
        counts = Counter(c.category(tau) for c in of)
        d['old_terms'][name] = {**share(asked, lambda c: (c.at[0] in GOLD) == right),
                                **{k: counts[k] for k in CATEGORIES}}


def sweep(cs, tau):
    at = {Fraction(floor(c.sc * 10000), 10000) for c in cs}
    if len({c.sc for c in cs}) > 64:
        at = {Fraction(i, 50) for i in range(51)}
    points = sorted(at | {Fraction(0), Fraction(1), tau})
    return [{'tau': float(t), 'prompt_sensitive': share(cs, lambda c: c.sc < t),
             **{k: share(cs, lambda c: c.category(t) == k) for k in CATEGORIES}} for t in points]


def sampled(suite, greedy, tau):
    every = [Counted(c, c.draws, 'repeat') for c in suite.cases if c.draws]
    d = consistency(every, tau, True)
    del d['not_asked']
    d['not_asked'], d['draws'] = sum(c.r < 2 for c in every), suite.plan['sampled']
    cs = [c for c in every if c.r > 1]
    d['predictive_entropy'] = mean(cs, lambda c: c.entropy, scale=log(d['draws']))
    drawn = {c.case.id: c for c in cs}
    both = [c for c in greedy if c.r > 1 and c.case.id in drawn]

    def crossed(cs):
        def split(c):
            return drawn[c.case.id].sc < tau
        stable = [c for c in cs if c.sc >= tau]
        return {'cases': len(cs), 'stable': len(stable), 'split': sum(map(split, stable)),
                'share': share(cs, lambda c: c.sc >= tau and split(c)), 'of_stable': share(stable, split)}
    d['unseen_by_greedy'] = crossed(both)
    tags = sorted({t for c in suite.cases for t in c.tags})
    d['unseen_by_greedy']['by_tag'] = {t: crossed([c for c in both if t in c.case.tags]) for t in tags}
    return d, every


def repeats(suite):
    cs = [Counted(c, [c.default] + c.repeats, 'repeat') for c in suite.cases if c.repeats]
    return {'repeats': suite.plan['repeats'], 'cases': len(cs), 'agreement': mean(cs, lambda c: float(c.sc))}


def families(cs):
    """The only kind of variant of the run is phrasings, so variant 0 and all others are one kind."""
    cs = [c for c in cs if c.r > 1]
    r = min(c.r for c in cs)

    def moved(c):
        others = [x for v, x in c.at.items() if v]
        return sum(x != c.at[0] for x in others) / len(others)
    return {'common_r': r, 'ranking': [{
        'family': 'phrasings', 'questions': len(cs), 'variants': {'min': r, 'max': max(c.r for c in cs)},
        'disagreement': mean(cs, lambda c: float(1 - c.sc)),
        'ambiguity_at_r': {'r': r, **mean(cs, lambda c: c.at_most(r))},
        'changed': mean([c for c in cs if 0 in c.at], moved)}]}


def contrast(suite, greedy, drawn):
    d = {}
    drawn = [c for c in drawn if c.r > 1]
    least = min(c.r for c in drawn)
    ks = [k for e in range(4) for k in (10 ** e, 2 * 10 ** e, 5 * 10 ** e) if k <= least]
    d['pass_at_k'] = [{'k': k, 'cases': len(drawn), **mean(
        drawn, lambda c: 1 - comb(c.r - c.right, k) / comb(c.r, k))} for k in ks]
    nats, units, by = [], [], defaultdict(lambda: np.zeros(2))
    for c in suite.cases:
        x = suite.logprobs(c.default)
        if x:
            nats.append((-sum(x), len(x)))
            units.append(c.cluster)
            by[c.cluster] += nats[-1]
    total, tokens = sum(a for a, _ in nats), sum(b for _, b in nats)
    worst = max(a / b for a, b in by.values())
    lo, hi = intervals.ratio([a / worst for a, _ in by.values()], [b for _, b in by.values()])
    own = [exp(a / b) for a, b in nats]
    mlo, mhi = intervals.median(own, units)
    d['perplexity'] = {
        'cases': len(nats), 'tokens': tokens, 'per_token': exp(total / tokens),
        'per_token_interval': {'estimate': exp(total / tokens), 'lo': exp(lo * worst), 'hi': exp(hi * worst)},
        'median': {'estimate': np.median(own), 'lo': mlo, 'hi': mhi}}
    cs = [c for c in greedy if c.r > 1]
    texts = {c.case.id: Counter(suite.text(v) for v in c.case.greedy if v.get('class', UNREAD) != UNREAD) for c in cs}
    d['raw_strings'] = {'semantic_stability': mean(cs, lambda c: max(texts[c.case.id].values()) / c.r),
                        'ambiguity': share(cs, lambda c: len(texts[c.case.id]) > 1)}
    return d


def joint(greedy, tau):
    cs = [c for c in greedy if c.r > 1 and hallucinated(c.case.default) is not None]
    d = {'n': len(cs), 'with_gold': len(cs), 'by_axis': {},
         'ungradable': sum(c.case.default['outcome'] == 'ungradable' for c in greedy if c.r > 1)}
    clusters(d, cs)
    for a in AXES[:3]:
        failed = [c for c in cs if axis(a)(c.case.default) == 1]
        stable = share(failed, lambda c: c.sc >= tau)
        d['by_axis'][a] = {'failures': len(failed), 'prompt_agnostic': stable and stable['estimate'],
                           'random': stable and 1 - stable['estimate'], 'prompt_agnostic_interval': stable}
    i = d['hallucination_by_definition_intervals'] = {
        'rubric': share(cs, lambda c: hallucinated(c.case.default)),
        'prompt_agnostic_error': share(cs, lambda c: c.category(tau) == 'prompt_agnostic_error'),
        'randomness': share(cs, lambda c: c.category(tau) == 'randomness'),
        'either': share(cs, lambda c: c.category(tau) != 'prompt_agnostic_factual'),
        'variance_only': mean(cs, lambda c: c.variance, scale=.5)}
    d['hallucination_by_definition'] = {k: v['estimate'] for k, v in i.items()}
    return d


def designed(suite, greedy, drawn, unseen, tau):
    out, p = [], []
    drawn = {c.case.id: c for c in drawn}
    for tag, want in sorted(suite.plan['suites'][0]['designed'].items()):
        cs = [c for c in greedy if c.r > 1 and tag in c.case.tags]
        if not cs:
            continue
        fell = Counter(c.category(tau) for c in cs)
        d = {'category': tag, 'n': len(cs), **{k: fell[k] for k in CATEGORIES}, 'expected': want, 'as_designed': None,
             'recovered': None}
        d['declined'] = sum(c.mode == DECLINED and c.category(tau) == 'prompt_agnostic_error' for c in cs)
        if want:
            def fits(c):
                return c.category(tau) == want or want == 'not_factual' and c.category(tau) != CATEGORIES[0]
            d['as_designed'] = share(cs, fits)
            half = Counter()
            for c in cs:
                half[c.cluster] += 1 if fits(c) else -1
            p.append((d, intervals.sign_flip(half.values(), True)))
        own = [drawn[c.case.id] for c in cs if c.case.id in drawn and drawn[c.case.id].r > 1]
        if own:
            d['sampled_ambiguous'] = share(own, lambda c: len(c.counts) > 1)
            d['unseen_by_greedy'] = unseen[tag]['share']
        out.append(d)
    for (d, _), adjusted in zip(p, intervals.holm([x for _, x in p])):
        d['p_holm'] = adjusted
        if adjusted < .05:
            d['recovered'] = d['as_designed']['estimate'] > .5
    return out


# ---- detectors

def scores(suite, drawn):
    """For each detector the score of each case that has one."""
    out = defaultdict(dict)
    asked = defaultdict(list)  # the calls about answers that are stored, by what they start with
    for r in suite.records.values():
        asked[r['call']['request']['prompt']].append(r)

    def total(options, names, among):
        return sum(exp(sum(o['logprobs'])) for o, n in zip(options, names) if n.strip() in among)
    drawn = {c.case.id: c for c in drawn}
    for c in suite.cases:
        record = suite.records[c.default['key']]
        request, response, text = record['call']['request'], record['response'], suite.text(c.default)
        prompt = request['prompt']
        logs = suite.logprobs(c.default)
        if logs:
            out['perplexity'][c.id] = exp(-sum(logs) / len(logs))
        if response.get('options'):
            inverse = [exp(sum(o['logprobs']) / len(o['logprobs'])) for o in response['options']]
            for name, w in ('entropy', inverse), ('entropy_as_published', [1 / x for x in inverse]):
                p = [x / sum(w) for x in w]
                out[name][c.id] = -sum(x * log(x) for x in p if x > 0)
        elif response.get('tokens'):
            h = []
            for token in response['tokens']:
                p = [exp(t['logprob']) for t in token['top']]
                h.append(-sum(x * log(x) for x in p if x > 0) - sum(x * log(x) for x in [1 - sum(p)] if x > 0))
            out['token_entropy'][c.id] = sum(h) / len(h)
        joined = prompt + ('' if text[:1].isspace() else ' ') + text
        for r in asked[joined + '\nIs the above statement correct?']:
            names, options = r['call']['request']['options'], r['response']['options']
            yes, no = total(options, names, ('Yes', 'yes', 'YES')), total(options, names, ('No', 'no', 'NO'))
            out['selfcheck'][c.id] = 1 - yes / (yes + no)
            out['selfcheck_as_published'][c.id] = 1 - total(options, names, ('Yes',))
        question = prompt.rsplit('\n', 1)[0] if request.get('raw') else 'Question: ' + prompt
        start = question + '\nPossible answer: ' + text.strip() + '\n'
        for p, rs in suite.possible(asked, start):
            names, options = rs[0]['call']['request']['options'], rs[0]['response']['options']
            true, false = total(options, names, ('A', 'True')), total(options, names, ('B', 'False'))
            out['p_true'][c.id] = 1 - true / (true + false)
        for r in asked[prompt]:
            if r['call']['request'].get('hidden') and r['call']['request']['options'] == [text]:
                out['surprisal'][c.id] = 1 - r['response']['cosines'][0]
        if c.id in drawn and drawn[c.id].r > 1:
            d = drawn[c.id]
            out['semantic_entropy'][c.id] = d.entropy
            greedy = Counted(c, [c.default], 'variant').classes
            if greedy:
                out['sample_disagreement'][c.id] = sum(x != greedy[0] for x in d.classes) / d.r
    return out


def detection(suite, greedy, drawn, tau):
    wrong = {c.id: c.default['class'] not in c.golds | {RIGHT_ACT} for c in suite.cases}
    moves = {c.case.id: c.sc < tau for c in greedy if c.r > 1}
    cluster = {c.id: c.cluster for c in suite.cases}
    every = scores(suite, drawn)
    d = {'n': len(suite.cases), 'unscored': 0, 'detectors': {}}
    clusters(d, suite.cases)
    for name, score in every.items():
        e = d['detectors'][name] = {'n': len(score), 'unscored': 0, 'mean': sum(score.values()) / len(score)}
        for side, label in ('correctness', wrong), ('consistency', moves):
            ids = [i for i in score if i in label]
            s, failing = np.array([score[i] for i in ids]), np.array([label[i] for i in ids])
            bad, good = s[failing], s[~failing]
            if not len(bad) or not len(good):
                continue
            value, lo, hi = intervals.auroc(s, failing, [cluster[i] for i in ids])
            e[side] = {'auroc': {'estimate': value, 'lo': lo, 'hi': hi}, 'failing': len(bad), 'passing': len(good),
                       'mean_failing': bad.mean(), 'mean_passing': good.mean(), 'difference': bad.mean() - good.mean()}
        both = [i for i in score if i in moves]
        s = np.array([score[i] for i in both])
        args = s, np.array([moves[i] for i in both]), s, np.array([wrong[i] for i in both]), [cluster[i] for i in both]
        for key, level in ('gain', .95), ('gain_together', 1 - .05 / len(every)):
            e[key] = dict(zip(('estimate', 'lo', 'hi'), intervals.areas_apart(*args, level)))
    best = max(every, key=lambda n: d['detectors'][n]['correctness']['auroc']['estimate'])
    d['best'] = {'detector': best, 'ahead': {}}
    for name, score in every.items():
        if name != best:
            both = [i for i in score if i in every[best]]
            bad = np.array([wrong[i] for i in both])
            if not both or bad.all() or not bad.any():
                d['best']['ahead'][name] = None
                continue
            first, second = (np.array([of[i] for i in both]) for of in (every[best], score))
            level = 1 - .05 / comb(len(every), 2)
            apart = intervals.areas_apart(first, bad, second, bad, [cluster[i] for i in both], level)
            d['best']['ahead'][name] = dict(zip(('estimate', 'lo', 'hi'), apart))
    return d


# ---- the suite

class Case:
    def __init__(self, plan):
        self.id, self.cls, self.domain = plan['id'], plan.get('class'), plan.get('domain')
        self.tags, self.difficulty = plan.get('tags', []), plan.get('difficulty')
        names, oracle = {self.cls, *self.tags}, (plan.get('oracle') or {}).get('type')
        self.answerable = not (plan.get('decline') or oracle in ('clarification', 'refusal') or names & {
            'nonexistent-citation', 'url-fabrication', 'id-precision', 'rare-entity', 'ambiguity', 'false-premise'})
        asks = ('prompt', 'system', 'context', 'options', 'demonstrations')
        self.cluster = json.dumps([plan.get(k) for k in asks])
        self.greedy, self.draws, self.repeats = [], [], []


class Suite:
    def __init__(self, plan, verdicts, golds, records):
        self.plan, self.records = plan, records
        suite = plan['suites'][0]
        self.cases = [Case(c) for c in suite['cases']]
        w = suite.get('weights') or {'truth': .6, 'decidability': .25, 'reciprocity': .15}
        self.weights = [w[a] / sum(w.values()) for a in AXES[:3]]
        of = {c.id: c for c in self.cases}
        for g in golds:
            of[g['case_id']].golds = set(g['golds'])
        for v in verdicts:
            c = of[v['case_id']]
            {None: c.greedy, 'sample': c.draws, 'repeat': c.repeats}[v.get('use')].append(v)
        self.cases = [c for c in self.cases if c.greedy]  # --limit asks the first
        for c in self.cases:
            for answers, key in (c.greedy, 'variant'), (c.draws, 'repeat'), (c.repeats, 'repeat'):
                answers.sort(key=lambda v: v[key])
            c.default = c.greedy[0]
        self.starts = None

    def grouped(self, names):
        by = defaultdict(list)
        for c in self.cases:
            for name in names(c):
                if name:
                    by[name].append(c)
        return by

    def chosen(self, v):
        """The option that was chosen, and its log-probabilities."""
        r = self.records[v['key']]
        options = [o['logprobs'] for o in r['response']['options']]
        best = max(range(len(options)), key=lambda i: sum(options[i]) / len(options[i]))
        return r['call']['request']['options'][best], options[best]

    def text(self, v):
        response = self.records[v['key']]['response']
        return self.chosen(v)[0] if response.get('options') else response['text']

    def logprobs(self, v):
        response = self.records[v['key']]['response']
        if response.get('options'):
            return self.chosen(v)[1]
        return [t['logprob'] for t in response.get('tokens', [])]

    def possible(self, asked, start):
        if self.starts is None:
            self.starts = {p.rsplit('\nIs the possible answer:', 1)[0] + '\n': (p, rs) for p, rs in asked.items()
                           if '\nIs the possible answer:' in p}
        return [self.starts[start]] if start in self.starts else []


def asked(suite):
    """Who was asked, and what all answers took."""
    model, used = suite.plan['models'][0], [(r.get('response') or {}).get('usage', {}) for r in suite.records.values()]
    assert {r['call']['model'] for r in suite.records.values()} == {model['identity']}
    greedy = [suite.records[v['key']]['call']['request'] for c in suite.cases for v in c.greedy]
    return {'model': model['ref'], 'identity': model['identity'], 'greedy': all(r['temperature'] == 0 for r in greedy),
            'tokens': {k: sum(u.get(k + '_tokens', 0) for u in used) for k in ('prompt', 'completion')},
            'usd': sum(u.get('usd', 0) for u in used), 'unscored': []}


# ---- the comparison

def leaves(x, path=''):
    if isinstance(x, dict):
        for k, v in x.items():
            if not k.startswith('_'):
                yield from leaves(v, f'{path}.{k}' if path else k)
    elif isinstance(x, list):
        for i, v in enumerate(x):
            yield from leaves(v, f'{path}[{i}]')
    else:
        yield path, x


def sentences(model, have):
    """The numbers of each finding that none of the figures that it is about comes to, rounded."""
    common = [f'{s}.{k}' for s, k in (('rubric', 'n'), ('consistency', 'tau'), ('consistency_sampled', 'draws'),
                                      ('consistency_sampled', 'predictive_entropy.estimate'))]
    for i, f in enumerate(model.get('findings', [])):
        about = '.'.join(f['path'].split('.')[:2])
        figures = [x for p, x in have.items()
                   if p in common or p.startswith(about) and not isinstance(x, (str, bool, type(None)))]
        shown = {str(x) for x in figures} | {str(n) for n in range(len(model['detection']['detectors']) + 1)}
        shown.add(str(len(model['consistency_sampled']['unseen_by_greedy']['by_tag'])))
        for x in figures:
            shown |= {f'{100 * x:.1f}', f'{100 * x:.1f}'.removesuffix('.0'), f'{x:.3f}', f'{x:.2f}'}
        numbers = re.findall(r'(?<![\w.-])\d+(?:\.\d+)?(?![\w-])', f['sentence'].replace('at temperature 1,', ''))
        yield f'findings[{i}].sentence', [n for n in numbers if n not in shown]


def main(path):
    plan, verdicts, golds, records, result = read(path)
    suite, tau = Suite(plan, verdicts, golds, records), Fraction(str(plan['tau']))
    got, drawn, resamples, known = asked(suite), [], None, {}
    if plan['methods'] != ['posterior']:
        drawn = by_methods(got, suite, tau)
        known = scores(suite, drawn)
    if 'posterior' in plan['methods']:
        got['posterior'], resamples = posterior.posterior(suite, known)
    run = {'drawn': [c for c in drawn if c.r > 1], 'level': robustness, 'top_p': plan.get('posterior', {}).get('top_p'),
           'options': sum(bool(records[c.default['key']]['response'].get('options')) for c in suite.cases)}
    return compare(result['models'][0], got, run, resamples)


def by_methods(got, suite, tau):
    """Adds the sections of the other methods, and returns the draws."""
    greedy = [Counted(c, c.greedy, 'variant') for c in suite.cases]
    got['rubric'], got['consistency'] = rubric(suite), consistency(greedy, tau)
    got['consistency_sampled'], drawn = sampled(suite, greedy, tau)
    domains = suite.grouped(lambda c: [c.domain])
    got['consistency_by_domain'] = {
        k: consistency([g for g in greedy if g.case.domain == k], tau) for k in domains}
    got['repeat_agreement'], got['families'] = repeats(suite), families(greedy)
    got['contrast'], got['joint'] = contrast(suite, greedy, drawn), joint(greedy, tau)
    got['detection'] = detection(suite, greedy, drawn, tau)
    got['designed'] = designed(suite, greedy, drawn, got['consistency_sampled']['unseen_by_greedy']['by_tag'], tau)
    return drawn


def compare(model, got, run, resamples):
    want, have = dict(leaves(model)), dict(leaves(got))
    skipped, worst, bad = Counter(), defaultdict(lambda: [0, 0.]), []
    findings = dict(sentences(model, have))
    for path in sorted(want.keys() | have.keys()):
        why = next((p for p in UNCHECKED if re.match(p, path)), None)
        if why:
            skipped[UNCHECKED[why]] += 1
            continue
        if path in findings:
            if findings[path]:
                bad.append(f'{path}: says {", ".join(findings[path])}, which no figure is')
            worst['findings'][0] += 1
            continue
        if path in want and said.ABOUT.match(path):
            why = said.wrong(path, want[path], got, run)
            if why:
                bad.append(f'{path}: {why}')
            if why is None:
                skipped['sentences with numbers, of a kind that the bare run does not have'] += 1
            else:
                worst['sentences'][0] += 1
            continue
        if path not in have or path not in want:
            if (have if path in have else want)[path] is not None:
                bad.append(f'{path}: {"not computed here" if path in want else "not in the document"}')
            continue
        a, b = want[path], have[path]
        group = worst[re.split(r'[.\[]', path)[0]]
        group[0] += 1
        if isinstance(a, str) or isinstance(b, str) or a is None or b is None or isinstance(a, bool):
            if a != b:
                bad.append(f'{path}: the document has {a}, recomputed {b}')
            continue
        off = abs(a - b)
        group[1] = max(group[1], off)
        if not off <= 1e-9:
            bad.append(f'{path}: the document has {a!r}, recomputed {float(b)!r}')
    if resamples:
        bad += [f'own draws: {line}' for line in resamples.off]
    print(f'{"part of the document":<24}{"figures":>9}  largest difference')
    for name, (n, off) in worst.items():
        print(f'{name:<24}{n:>9}  {off:.1e}')
    for why, n in skipped.items():
        print(f'not checked: {n:>5}  {why}')
    for line in bad[:1000]:
        print('DIFFERS', line)
    if resamples:
        print(f'{resamples.checked} bounds and means by seeded draws held against draws of its own')
    print(f'{sum(n for n, _ in worst.values())} figures compared, {len(bad)} differ or are missing')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
