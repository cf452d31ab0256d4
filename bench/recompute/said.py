"""The numbers in the sentences of a result document: what each sentence is about says which figures they are."""
import re
from math import ceil


def entropy(s, run):
    """What the entropy of samples lacks: (classes - 1)/(2 samples), a tenth of the interval above it being borne."""
    low = sum((len(c.counts) - 1) / (2 * c.r) for c in run['drawn']) / len(run['drawn'])
    e = s['predictive_entropy']
    return s['draws'], f'{low:.3f}', ceil(low * s['draws'] / (.1 * (e['hi'] - e['estimate'])))


def level(s, run):
    return [run['level'](s['semantic_stability'][k]) for k in ('lo', 'hi')]


def interval(e):
    return tuple(f'{e[k]:.3f}' for k in ('estimate', 'lo', 'hi'))


def related(s, x, x_eps, y, y_eps):
    return next(r for r in s['study']['relations'] if (r['x'], r['x_eps'], r['y'], r['y_eps']) == (x, x_eps, y, y_eps))


def tracks(s, _):
    r = related(s, 'phr', .75, 'error', None)
    return (*interval(r['r2']), f'{r["slope"]:.2f}', f'{r["mae"]["estimate"]:.3f}', *interval(s['error_rate']),
            f'{s["error_random"]:.3f}')


def informs(s, _):
    out = []
    for y, eps in ('phr', .05), ('phr', .75), ('error', None):
        r = related(s, 'mutual_information', None, y, eps)
        out += [f'{r["r"]:.2f}', '' if r['p'] < .05 and r['r'] > 0 else ' (not significant)']
    return out


N = r'(-?\d+(?:\.\d+)?)'
SENTENCES = [(re.compile(pattern), figures) for pattern, figures in (
    (f'the {N} (?:cases|questions) are {N} clusters, ', lambda s, _: (s.get('questions', s['n']), s['clusters'])),
    (f'{N} of {N} answers could not be graded and', lambda s, _: (s['unread'], s['_answers'])),
    (f'{N} questions have fewer than two scored variants', lambda s, _: (s['not_asked'],)),
    (f'some questions have only {N} scored variants: 10 are', lambda s, _: (s['variants']['min'],)),
    (f'the figures rest on {N} (?:questions|clusters): at least 100',
     lambda s, _: (s.get('clusters', s['questions']),)),
    (r'the interval of semantic stability reaches from level (\w+) to (\w+):', level),
    (f'the predictive entropy is that of {N} samples, low by {N} nats or more: .* takes {N} samples or more', entropy),
    (f'perplexity is of the option that was chosen in {N} cases and of the generated words in {N}:',
     lambda s, run: (run['options'], s['n'] - run['options'])),
    ('consistency against correctness: fewer than 10 cases in a class: the difference cannot', lambda s, _: ()),
    (f'M = {N}: the interval of the rate is valid at .* M = 100 or more', lambda s, _: (s['m'],)),
    (f'{N} contexts: intervals by resampling contexts are too narrow with fewer than 30',
     lambda s, _: (s['contexts'],)),
    (f'made-up pairs are sampled with top_p {N}, ', lambda s, run: (run['top_p'],)),
    (f'it under-estimates: extensions of --extend {N} show', lambda s, _: (s['extend'],)),
    (f'of two labels it is 0 unless the rarer has less than eps, {N}, after', lambda s, _: (s['eps'],)),
    (fr'R² {N} \({N} to {N}\), slope {N}, mean absolute difference {N}; '
     fr'the error is {N} \({N} to {N}\), that of a guess {N};', tracks),
    (fr'PHR at \.05 r {N}((?: \(.*?\))?); PHR at \.75 r {N}((?: \(.*?\))?); the error r {N}((?: \(.*?\))?);', informs),
)]
# A sentence with numbers that are checked.
ABOUT = re.compile(r'(?P<section>.*?)\.?(warnings\[\d+\]|limits\[\d+\]|study\.checks\[\d+\]\.says)$')


def wrong(path, sentence, got, run):
    """What is wrong with the numbers of a sentence, '' where nothing is; None where its like is not known."""
    section = got
    for name in filter(None, ABOUT.match(path)['section'].split('.')):
        section = section.get(name, {})
    for pattern, figures in SENTENCES:
        found = pattern.match(sentence)
        if found:
            want = [str(x) for x in figures(section, run)]
            told = ', '.join(found.groups())
            return '' if list(found.groups()) == want else f'says {told}, which should be {", ".join(want)}'
    return None if re.search(r'\d', sentence) else ''
