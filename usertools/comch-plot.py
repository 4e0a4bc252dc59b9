#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""Draw results of dpdk-test-comch as PNG pictures.

Reads the files of its option --json and nothing else. What is measured, and
what a limit is, is the business of dpdk-test-comch.
"""

import argparse
import json
import math
import os
import statistics
import sys
import textwrap

# Seven colours that stay apart for colour-blind readers (Okabe and Ito), the
# first ones also in brightness; each goes with a marker of its own.
COLOURS = ('#0072B2', '#E69F00', '#000000', '#CC79A7', '#009E73', '#D55E00',
           '#56B4E9')
MARKERS = ('o', 's', '^', 'D', 'v', 'P', 'X')
DASHES = ('-', '--', '-.', ':')

LIMIT_STYLE = (0, (5, 2))
INCHES = (7.2, 4.4)
# Bins of a drawn histogram in each doubling of the time.
BINS_PER_OCTAVE = 8
# A histogram ends where this share of the slowest line does.
HISTOGRAM_SHARE = 0.999
# A range above this ratio is drawn on a logarithmic axis.
LOG_RATIO = 30
# More lines than that in a distribution nobody tells apart.
MANY_LINES = 6
# A longer legend goes below the picture.
MANY_HANDLES = 6

# What tells two lines of one test apart: key in the file, how it is named.
PARAMETERS = (
    ('variant', '{}'),
    ('window', 'window {}'),
    ('burst', 'burst {}'),
    ('stride_bytes', 'stride {} B'),
    ('posts', '{} posts'),
    ('producers', '{} producers'),
    ('consumers', '{} consumers'),
    ('clients', '{} clients'),
    ('idle_clients', '{} idle clients'),
    ('connections', '{} connections'),
    ('mode', '{}'),
    ('bidir', {True: 'both directions', False: 'one direction'}),
    ('validate', {True: 'validated', False: 'not validated'}),
    ('case', '[{}]'),
)
# Of these, some go with the size: they count only where nothing else does.
WEAK_PARAMETERS = ('case', 'posts', 'stride_bytes', 'burst')

EXAMPLES = """\
examples:
  Run the benchmark over sizes and keep the results:
    dpdk-test-comch <EAL options> -- --client --test ctrl-lat,ctrl-rate \\
        --size 16,4096,2,MUL --histogram --json results.json

  Draw all that is in there (comch-latency.png, comch-rate.png, ...):
    %(prog)s results.json

  Only latency and its distribution, of one test and one size:
    %(prog)s --plot latency,cdf --test ctrl-lat --size 64 results.json

  Two runs in the same picture, each with a name:
    %(prog)s --label before,after before.json after.json
"""


class PlotError(Exception):
    """What the user is told, and no traceback."""


def note(text):
    """Say what is left out."""
    print(f'comch-plot: {text}', file=sys.stderr)


# ---- results ----

class Result:
    """One result of a file, with the values in base units."""

    def __init__(self, run, values):
        self.run = run
        self.values = values
        self.test = values['test']
        self.size = values.get('size_bytes')

    def get(self, key):
        """Return a number, or None if there is none."""
        value = self.values.get(key)
        return value if isinstance(value, (int, float)) else None

    def bandwidth(self):
        """Return the bytes per second, measured or of messages alike."""
        bandwidth, rate = self.get('bytes_per_s'), self.get('rate_per_s')
        if bandwidth is None and rate is not None and self.size:
            bandwidth = rate * self.size
        return bandwidth

    def limit_bandwidth(self):
        """Return the same of the limit, by the bytes of a message."""
        limit, rate = self.get('limit_per_s'), self.get('rate_per_s')
        bandwidth = self.bandwidth()
        return limit * bandwidth / rate if limit and rate else None


class Run:
    """One file: its environment and its results."""

    def __init__(self, path, label):
        self.path = path
        self.label = label
        data = self.read(path)
        self.environment = data['environment']
        self.results = []
        failed = 0
        for values in data['results']:
            if values.get('status') == 'passed':
                self.results.append(Result(self, values))
            else:
                failed += 1
        if failed:
            note(f'{path}: {failed} failed result(s) left out')
        if not self.results:
            raise PlotError(f'{path}: there is no result in it that passed')

    @staticmethod
    def read(path):
        """Return what is in a file of dpdk-test-comch."""
        remedy = 'give a file that dpdk-test-comch --json has written'
        try:
            with open(path, encoding='utf-8') as file:
                data = json.load(file)
        except OSError as error:
            raise PlotError(f'{path}: cannot be read: {error.strerror}; '
                            f'{remedy}') from error
        except ValueError as error:
            raise PlotError(f'{path}: is no JSON: {error}; '
                            f'{remedy}') from error
        if (not isinstance(data, dict)
                or not isinstance(data.get('environment'), dict)
                or data['environment'].get('tool') != 'dpdk-test-comch'
                or not isinstance(data.get('results'), list)
                or not all(isinstance(values, dict) and 'test' in values
                           for values in data['results'])):
            raise PlotError(f'{path}: is JSON, but of something else; '
                            f'{remedy}')
        return data

    def machine(self):
        """Return the environment in one line."""
        env = self.environment
        # Buffers of the fast path have pages of their own, apart from EAL's.
        key = 'hugepages'
        if env.get('client_buffer_page_bytes') is not None:
            key = 'buffers_in_hugepages'
        huge = 'hugepages' if env.get(key) else 'no hugepages'
        text = (f"{env.get('cpu_model', 'unknown CPU')}, "
                f"{env.get('nb_cpus', '?')} CPUs, {huge}, "
                f"{env.get('driver', 'unknown driver')}, "
                f"{env.get('dpdk_version', 'unknown DPDK')}")
        if env.get('same_machine') is False:
            text += ', two machines'
        return text


class Series:
    """Results that differ in their size only: a line of a picture."""

    def __init__(self, name, results):
        self.name = name
        self.sizes = {}
        for result in results:
            self.sizes.setdefault(result.size, []).append(result)

    def points(self, value):
        """Return sizes and values where there are some, in order.

        Of a point that was measured more than once it is the median.
        """
        xs, ys = [], []
        for size in sorted(self.sizes):
            found = [value(r) for r in self.sizes[size]]
            found = [v for v in found if v is not None]
            if found:
                xs.append(size)
                ys.append(statistics.median(found))
        return xs, ys


def parameters(result):
    """Return the parameters of a result, each as the text for a legend."""
    texts = {}
    for key, text in PARAMETERS:
        value = result.values.get(key)
        if value is None or value == '':
            continue
        if isinstance(text, dict):
            texts[key] = text.get(value, str(value))
        else:
            texts[key] = text.format(value)
    return texts


def series_names(keys):
    """Return a name for each key: what it does not share with the others."""
    tests = {test for _, test, _ in keys}
    labels = {label for label, _, _ in keys}
    names = []
    for label, test, params in keys:
        same_test = [dict(p) for _, t, p in keys if t == test]
        parts = [test]
        if len(labels) > 1:
            parts.insert(0, f'{label}:')
        different = [text for key, text in params
                     if len({p.get(key) for p in same_test}) > 1]
        if len(tests) > 1 or len(labels) > 1 or different:
            parts.append(', '.join(different))
        names.append(' '.join(p for p in parts if p))
    return names


def nb_points(results, params):
    """Return how many points there are if these tell lines apart."""
    return len({(r.run.label, r.size, tuple(p.items()))
                for r, p in zip(results, params)})


def make_series(results, with_size=False):
    """Sort results into lines, in the order of the files."""
    groups = {}
    for test in dict.fromkeys(r.test for r in results):
        same = [r for r in results if r.test == test]
        params = [parameters(r) for r in same]
        for weak in WEAK_PARAMETERS:
            without = [{k: v for k, v in p.items() if k != weak}
                       for p in params]
            # Is each result still the only one of its line and size?
            if nb_points(same, without) == nb_points(same, params):
                params = without
        for result, param in zip(same, params):
            if with_size and result.size:
                param['size'] = size_text(result.size)
            key = (result.run.label, test, tuple(param.items()))
            groups.setdefault(key, []).append(result)
    return [Series(name, group)
            for name, group in zip(series_names(groups), groups.values())]


# ---- text of axes ----

def times_name(series):
    """Return what the times of results are."""
    names = [r.values.get('times_of') for s in series
             for group in s.sizes.values() for r in group]
    return ', '.join(dict.fromkeys(n for n in names if n)) or 'time'


def size_text(size, _=None):
    """Return a size in bytes as people write it."""
    for unit, factor in (('GiB', 1 << 30), ('MiB', 1 << 20), ('KiB', 1 << 10)):
        if size >= factor:
            return f'{size / factor:g} {unit}'
    return f'{size:g} B'


def time_text(nanoseconds, _=None):
    """Return a time as people write it."""
    for unit, factor in (('s', 1e9), ('ms', 1e6), ('\u00b5s', 1e3)):
        if nanoseconds >= factor:
            return f'{nanoseconds / factor:g} {unit}'
    return f'{nanoseconds:g} ns'


def large_text(value):
    """Return a number with a prefix as those of SI units."""
    for prefix, factor in (('T', 1e12), ('G', 1e9), ('M', 1e6), ('k', 1e3)):
        if value >= factor:
            return f'{value / factor:g} {prefix}'
    return f'{value:g} '


def rate_text(per_second, _=None):
    """Return a rate as people write it."""
    return large_text(per_second) + '/s'


def bandwidth_text(per_second, _=None):
    """Return bytes per second as people write them."""
    return large_text(per_second) + 'B/s'


def number_text(value, _=None):
    """Return a number that has no unit."""
    return f'{value:g}'


# ---- pictures ----

class Picture:
    """A figure with one pair of axes."""

    def __init__(self, plt, runs, title):
        self.plt = plt
        self.figure, self.axes = plt.subplots(figsize=INCHES)
        lines = []
        for run in runs:
            text = run.machine()
            if text not in lines:
                lines.append(text)
        if len(lines) > 1:
            lines = [f'{run.label}: {run.machine()}' for run in runs]
        lines = [part for line in lines for part in textwrap.wrap(line, 110)]
        self.axes.set_title(title, fontsize=11, pad=7 + 11 * len(lines))
        self.axes.text(0.5, 1.015, '\n'.join(lines), fontsize=8,
                       color='#404040', ha='center', va='bottom',
                       transform=self.axes.transAxes)
        self.axes.grid(True, which='major', color='#d8d8d8', linewidth=0.6)
        self.axes.set_axisbelow(True)
        self.handles = []
        self.seen = []

    def size_axis(self, sizes):
        """Make the x axis one of sizes."""
        axes = self.axes
        axes.set_xscale('log', base=2)
        ticks = sorted(set(sizes))
        if len(ticks) > 9:
            # Every one that is a power of two, or of four, ...
            low = math.floor(math.log2(ticks[0]))
            high = math.ceil(math.log2(ticks[-1]))
            step = max(1, math.ceil((high - low) / 9))
            ticks = [2 ** i for i in range(low, high + 1, step)]
        axes.set_xticks(ticks)
        axes.xaxis.set_major_formatter(size_text)
        axes.xaxis.set_minor_locator(self.plt.NullLocator())
        axes.set_xlabel('message size (log scale)')

    def value_axis(self, label, text, values, log_ratio):
        """Make the y axis, from zero or logarithmic."""
        low, high = min(values), max(values)
        if low > 0 and high / low > log_ratio:
            self.axes.set_yscale('log')
            self.log_ticks(self.axes.yaxis, high / low)
            label += ' (log scale)'
        else:
            self.axes.set_ylim(0, high * 1.08)
        self.axes.yaxis.set_major_formatter(text)
        self.axes.set_ylabel(label)

    def time_axis(self, label, right=None):
        """Make the x axis one of times."""
        axes = self.axes
        axes.set_xscale('log')
        axes.set_xlim(right=right)
        low, high = axes.get_xlim()
        self.log_ticks(axes.xaxis, high / low)
        axes.xaxis.set_major_formatter(time_text)
        axes.set_xlabel(label + ' (log scale)')

    def log_ticks(self, axis, ratio):
        """Give a logarithmic axis as many numbers as it has room for."""
        subs = (1, 2, 5) if ratio < 1e3 else (1,)
        axis.set_major_locator(self.plt.LogLocator(subs=subs, numticks=20))
        axis.set_minor_locator(self.plt.NullLocator())

    def style(self, index):
        """Return colour and marker of a line."""
        return (COLOURS[index % len(COLOURS)],
                MARKERS[(index + index // len(COLOURS)) % len(MARKERS)])

    def line(self, index, xs, ys, **how):
        """Draw a line in the colour of its series."""
        colour, marker = self.style(index)
        if how.pop('marked', False) or len(xs) == 1:
            how.update(marker=marker, markersize=5, markerfacecolor='white')
        self.axes.plot(xs, ys, color=colour, **how)

    def name(self, index, text, marked=True):
        """Put a series into the legend."""
        colour, marker = self.style(index)
        how = dict(marker=marker, markersize=5, markerfacecolor='white')
        self.handles.append(self.plt.Line2D(
            [], [], color=colour, linewidth=1.8, label=text,
            **(how if marked else {})))

    def legend(self, styles=()):
        """Draw the legend: series first, then what the line styles mean."""
        handles = list(self.handles)
        for text, how in styles:
            handles.append(self.plt.Line2D([], [], color='#404040',
                                           label=text, **how))
        self.place_legend(handles)

    def place_legend(self, handles, **how):
        """Put a legend where it hides nothing."""
        how.update(handles=handles, fontsize=8, framealpha=0.85,
                   handlelength=3)
        if len(handles) > MANY_HANDLES:
            rows = (len(handles) + 1) // 2
            self.figure.set_size_inches(INCHES[0], INCHES[1] + 0.18 * rows)
            how.update(loc='upper center', ncol=2,
                       bbox_to_anchor=(0.5, -0.14))
        self.axes.legend(**how)

    def save(self, path, dpi):
        """Write the file."""
        self.figure.tight_layout()
        try:
            self.figure.savefig(path, dpi=dpi, format='png',
                                metadata={'Software': None})
        except OSError as error:
            raise PlotError(f'{path}: cannot be written: {error.strerror}; '
                            'name a folder of yours by --output') from error
        finally:
            self.plt.close(self.figure)
        print(path)


def over_size(results):
    """Return the series of results that have a size."""
    return make_series([r for r in results if r.size])


def draw_lines(plt, runs, series, title, label, text, lines,
               log_ratio=LOG_RATIO):
    """Draw values over sizes; lines: (name, value function, style)."""
    data = []
    for ser in series:
        drawn = [(ser.points(value), name, how) for name, value, how in lines]
        data.append((ser, [(pts, name, how) for pts, name, how in drawn
                           if pts[0]]))
    # Only where the value that the picture is about is there.
    data = [(ser, drawn) for ser, drawn in data
            if any(name == lines[0][0] for _, name, _ in drawn)]
    if not data:
        return None
    values = [y for _, drawn in data for (_, ys), _, _ in drawn for y in ys]
    sizes = [x for _, drawn in data for (xs, _), _, _ in drawn for x in xs]
    pic = Picture(plt, runs, title)
    for index, (ser, drawn) in enumerate(data):
        for (xs, ys), name, how in drawn:
            pic.line(index, xs, ys, **how)
        pic.name(index, ser.name)
    pic.size_axis(sizes)
    pic.value_axis(label, text, values, log_ratio)
    present = {name for _, drawn in data for _, name, _ in drawn}
    pic.legend([(name, {k: v for k, v in how.items() if k != 'marked'})
                for name, _, how in lines
                if name in present and len(lines) > 1])
    return pic


def plot_latency(plt, runs, results):
    """Median, 99 % and minimum over size, beside the limit."""
    series = over_size([r for r in results if r.get('p50_ns') is not None])
    return draw_lines(
        plt, runs, series, 'Latency over message size', times_name(series),
        time_text,
        (('median', lambda r: r.get('p50_ns'),
          dict(marked=True, linewidth=1.8)),
         ('99 %', lambda r: r.get('p99_ns'),
          dict(linewidth=1.0, linestyle='-.')),
         ('min', lambda r: r.get('min_ns'),
          dict(linewidth=1.2, linestyle=':')),
         ('limit', lambda r: r.get('limit_ns'),
          dict(linewidth=1.2, linestyle=LIMIT_STYLE))))


def plot_rate(plt, runs, results):
    """Messages per second over size, beside the limit."""
    return draw_lines(
        plt, runs, over_size(results), 'Message rate over message size',
        'messages per second', rate_text,
        (('rate', lambda r: r.get('rate_per_s'),
          dict(marked=True, linewidth=1.8)),
         ('limit', lambda r: r.get('limit_per_s'),
          dict(linewidth=1.2, linestyle=LIMIT_STYLE))))


def plot_bandwidth(plt, runs, results):
    """Bytes per second over size, beside the limit."""
    return draw_lines(
        plt, runs, over_size(results), 'Bandwidth over message size',
        'bytes per second', bandwidth_text,
        (('bandwidth', lambda r: r.bandwidth(),
          dict(marked=True, linewidth=1.8)),
         ('limit', lambda r: r.limit_bandwidth(),
          dict(linewidth=1.2, linestyle=LIMIT_STYLE))))


def plot_ratio(plt, runs, results):
    """Result over limit, over size; the limit is the line at 1."""
    series = over_size([r for r in results if r.get('ratio') is not None])
    for ser in series:
        first = next(iter(ser.sizes.values()))[0]
        less = first.get('limit_ns') is not None
        ser.name += ', less is better' if less else ', more is better'
    pic = draw_lines(
        plt, runs, series, 'Ratio to the limit over message size',
        'result / limit', number_text,
        (('ratio', lambda r: r.get('ratio'),
          dict(marked=True, linewidth=1.8)),),
        # Half and double are as far from the limit.
        log_ratio=4)
    if pic is not None:
        how = dict(color='#404040', linewidth=1.2, linestyle=LIMIT_STYLE)
        pic.axes.axhline(1.0, **how)
        low, high = pic.axes.get_ylim()
        pic.axes.set_ylim(low, max(high, 1.08))
        how.pop('color')
        pic.legend([('limit', how)])
    return pic


def distribution(series):
    """Return the histogram of a series: ends of buckets in ns, and counts."""
    counts = {}
    for results in series.sizes.values():
        for result in results:
            for low, nb in result.values.get('histogram_ns') or []:
                counts[low] = counts.get(low, 0) + nb
    return sorted(counts.items())


def with_histogram(results):
    """Return series of results that have a histogram; sizes set them apart."""
    series = make_series([r for r in results if r.values.get('histogram_ns')],
                         with_size=True)
    if len(series) > MANY_LINES:
        note(f'{len(series)} distributions in one picture are hard to tell '
             'apart; choose some by --test and --size')
    return series


def plot_histogram(plt, runs, results):
    """How often each time was seen."""
    series = with_histogram(results)
    if not series:
        return None
    pic = Picture(plt, runs, 'Distribution of times')
    end = 0.0
    for index, ser in enumerate(series):
        bins = {}
        pairs = distribution(ser)
        total = sum(nb for _, nb in pairs)
        seen = 0
        for low, nb in pairs:
            seen += nb
            if seen - nb < HISTOGRAM_SHARE * total:
                end = max(end, low)
            # Below one nanosecond there is nothing to tell apart.
            place = math.floor(math.log2(max(low, 1.0)) * BINS_PER_OCTAVE)
            bins[place] = bins.get(place, 0) + nb
        xs, ys = [], []
        for place in range(min(bins), max(bins) + 1):
            xs.append(2 ** (place / BINS_PER_OCTAVE))
            ys.append(100 * bins.get(place, 0) / total)
        # A step begins and ends at zero.
        xs = xs + [2 ** ((max(bins) + i) / BINS_PER_OCTAVE) for i in (1, 2)]
        xs.insert(0, xs[0])
        ys = [0] + ys + [0, 0]
        pic.axes.fill_between(xs, ys, step='post', alpha=0.15,
                              color=pic.style(index)[0], linewidth=0)
        pic.axes.step(xs, ys, where='post', color=pic.style(index)[0],
                      linewidth=1.4, linestyle=DASHES[index % len(DASHES)],
                      label=ser.name)
    pic.time_axis(f'{times_name(series)} up to {100 * HISTOGRAM_SHARE:g} %',
                  end * 1.2)
    pic.axes.set_ylim(bottom=0)
    pic.axes.set_ylabel('share in each bin, %')
    pic.place_legend(pic.axes.get_legend_handles_labels()[0])
    return pic


def plot_cdf(plt, runs, results):
    """Which share took no longer than a time; the far end is stretched."""
    series = with_histogram(results)
    if not series:
        return None
    pic = Picture(plt, runs, 'Times by percentile')
    deepest = 2.0
    for index, ser in enumerate(series):
        pairs = distribution(ser)
        total = sum(nb for _, nb in pairs)
        xs, ys, seen = [], [], 0
        for low, nb in pairs:
            # The last one has nothing above it: it is drawn as the one that
            # it is of all.
            seen += nb
            above = max(total - seen, 0.5)
            xs.append(max(low, 1.0))
            ys.append(-math.log10(above / total))
        deepest = max(deepest, ys[-1])
        pic.axes.plot(xs, ys, color=pic.style(index)[0], linewidth=1.5,
                      drawstyle='steps-post', label=ser.name,
                      linestyle=DASHES[index % len(DASHES)])
    pic.time_axis(times_name(series))
    ticks = [(-math.log10(0.5), '50 %')]
    for nines in range(1, math.floor(deepest) + 1):
        text = '90' if nines == 1 else '99.' + '9' * (nines - 2)
        ticks.append((nines, text.rstrip('.') + ' %'))
    pic.axes.set_ylim(0, deepest * 1.05)
    pic.axes.set_yticks([place for place, _ in ticks])
    pic.axes.set_yticklabels([text for _, text in ticks])
    pic.axes.set_ylabel('share that was at least as fast')
    pic.place_legend(pic.axes.get_legend_handles_labels()[0],
                     loc='lower right')
    return pic


PLOTS = {
    'latency': (plot_latency, 'times of messages with a size'),
    'rate': (plot_rate, 'rates of messages with a size'),
    'bandwidth': (plot_bandwidth, 'rates of messages with a size'),
    'ratio': (plot_ratio, 'limits that were measured'),
    'histogram': (plot_histogram,
                  'histograms; run dpdk-test-comch with --histogram'),
    'cdf': (plot_cdf, 'histograms; run dpdk-test-comch with --histogram'),
}


# ---- command line ----

def parse_args():
    """Return the arguments."""
    parser = argparse.ArgumentParser(
        description='Draw results of dpdk-test-comch as PNG pictures.',
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        'files', nargs='+', metavar='FILE',
        help='results, written by dpdk-test-comch --json')
    parser.add_argument(
        '-p', '--plot', metavar='PLOTS',
        help='pictures to draw, with commas between: '
             f'{", ".join(PLOTS)} (default: all that there are results for)')
    parser.add_argument(
        '-t', '--test', metavar='TESTS',
        help='tests to draw, with commas between (default: all)')
    parser.add_argument(
        '-s', '--size', metavar='BYTES',
        help='sizes to draw, with commas between (default: all)')
    parser.add_argument(
        '-l', '--label', metavar='NAMES',
        help='names of the files for the legend, with commas between '
             '(default: the names that they have)')
    parser.add_argument(
        '-o', '--output', metavar='PREFIX', default='comch',
        help='how the names of the pictures begin, with a folder or without '
             '(default: %(default)s, as in comch-latency.png)')
    parser.add_argument(
        '--title', help='title of the pictures instead of their own')
    parser.add_argument(
        '--dpi', type=int, default=100,
        help='dots per inch; a picture is '
             f'{INCHES[0]} by {INCHES[1]} inches (default: %(default)s)')
    args = parser.parse_args()
    if not 30 <= args.dpi <= 1200:
        parser.error('--dpi: give a number from 30 to 1200')
    return args


def get_pyplot():
    """Return matplotlib's pyplot, for files only."""
    try:
        import matplotlib
        matplotlib.use('Agg')
        from matplotlib import pyplot
    except ImportError as error:
        raise PlotError(
            f'{error}, for the Python of {sys.executable}: install the '
            'package python3-matplotlib (Debian) and run this with '
            'the system\'s python3') from error
    return pyplot


def choose(runs, args):
    """Return the results that the arguments ask for."""
    results = [r for run in runs for r in run.results]
    files = ', '.join(run.path for run in runs)
    if args.test is not None:
        there = list(dict.fromkeys(r.test for r in results))
        wanted = args.test.split(',')
        for test in wanted:
            if test not in there:
                raise PlotError(f'there is no result of test \'{test}\' in '
                                f'{files}; the tests there are: '
                                f'{", ".join(there)}')
        results = [r for r in results if r.test in wanted]
    if args.size is not None:
        there = sorted({r.size for r in results if r.size})
        for size in args.size.split(','):
            if size not in [str(s) for s in there]:
                raise PlotError(f'there is no result with size \'{size}\' in '
                                f'{files}; the sizes there are: '
                                f'{", ".join(str(s) for s in there)}')
        results = [r for r in results
                   if str(r.size) in args.size.split(',')]
    return results


def make_runs(args):
    """Read the files."""
    labels = [os.path.splitext(os.path.basename(f))[0] for f in args.files]
    if args.label is not None:
        labels = args.label.split(',')
        if len(labels) != len(args.files):
            raise PlotError(f'--label: {len(labels)} name(s) for '
                            f'{len(args.files)} file(s); give each one')
    if len(set(labels)) != len(labels):
        raise PlotError('two files have the same name in the legend; give '
                        'them different ones by --label')
    return [Run(path, label) for path, label in zip(args.files, labels)]


def main():
    """Draw what the command line asks for."""
    args = parse_args()
    wanted = list(PLOTS) if args.plot is None else args.plot.split(',')
    for name in wanted:
        if name not in PLOTS:
            raise PlotError(f'--plot: there is no plot \'{name}\'; they are: '
                            f'{", ".join(PLOTS)}')
    runs = make_runs(args)
    results = choose(runs, args)
    plt = get_pyplot()
    drawn = 0
    for name in wanted:
        function, needs = PLOTS[name]
        pic = function(plt, runs, results)
        if pic is None:
            if args.plot is not None:
                raise PlotError(f'--plot {name}: it needs {needs}, and there '
                                'are none among these results')
            continue
        if args.title is not None:
            pic.axes.set_title(args.title)
        pic.save(f'{args.output}-{name}.png', args.dpi)
        drawn += 1
    if drawn == 0:
        raise PlotError('there is nothing to draw: no result has a size, '
                        'none a histogram')


if __name__ == '__main__':
    try:
        main()
    except PlotError as plot_error:
        sys.exit(f'comch-plot: {plot_error}')
    except BrokenPipeError:
        sys.exit(1)
