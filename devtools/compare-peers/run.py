#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""Runs the comparison: called by compare-peers.sh, which has built everything.

First all candidates of each peer are tried, briefly, and the fastest is kept.
Then come the rounds. In a round ours is measured before and after each peer; the
ratio of a pair is that to the run of ours beside it. The distance of the two CPUs
is probed between all runs: a pair counts only if it was the same all the time.
"""

import argparse
import json
import os
import resource
import signal
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import machine     # noqa: E402
import ours        # noqa: E402
import peers       # noqa: E402
import rows        # noqa: E402
import table       # noqa: E402
from machine import Failed    # noqa: E402

ATTEMPTS = 3           # at a pair, in one round
PATIENCE = 60.0        # seconds over time, after which rounds are left out
EXTRA_ROUNDS = 3       # at most, for those that failed
FINALISTS = 3          # candidates that are tried three times
TRY_SECONDS = 0.12
CPU_TICKS = os.sysconf('SC_CLK_TCK')


class Others:
    """What share of the two CPUs all other processes, and the host, take."""

    def __init__(self, cpus):
        self.names = ['cpu%d' % c for c in cpus]

    def now(self):
        busy = 0
        with open('/proc/stat', encoding='ascii') as f:
            for line in f:
                field = line.split()
                if field[0] in self.names:
                    # user nice system idle iowait irq softirq steal
                    busy += sum(int(field[i]) for i in (1, 2, 3, 6, 7, 8))
        own = 0
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
            usage = resource.getrusage(who)
            own += usage.ru_utime + usage.ru_stime
        return time.monotonic(), busy / CPU_TICKS - own

    def since(self, start):
        end = self.now()
        return max(0.0, (end[1] - start[1]) / max(end[0] - start[0], 1e-3))


class Step:
    """One run of one program, and what the machine was like around it."""

    def __init__(self, value, others, results=None):
        self.value = value
        self.others = others
        self.results = results


class Comparison:
    def __init__(self, m, rounds, wait):
        self.m = m
        self.wait = wait
        self.rounds = rounds
        self.begin = time.monotonic()
        self.deadline = self.begin
        self.others = Others(m.cpus)
        self.distance = 0.0
        self.finalists = {}
        self.data = {'groups': [], 'not_measured': [], 'tried': []}

    def say(self, text):
        print('%4d s  %s' % (time.monotonic() - self.begin, text), flush=True)

    def missing(self, huge, what, why):
        why = str(why)
        self.data['not_measured'].append({'hugepages': huge, 'what': what, 'why': why})
        self.say('not measured: %s: %s' % (what, why))

    def time_left(self):
        return self.deadline - time.monotonic()

    def wait_calm(self, most):
        """Until the others leave the CPUs alone, for so many seconds at most."""
        until = time.monotonic() + most
        while time.monotonic() < until:
            start = self.others.now()
            time.sleep(0.1)
            if self.others.since(start) <= machine.OTHERS_MAX:
                break

    def step(self, function):
        start = self.others.now()
        got = guarded(function)
        return Step(got, self.others.since(start))

    def probe(self):
        self.distance = self.m.probe()
        return self.distance

    # ---- the fastest candidate of a peer ----

    def try_candidate(self, group, candidate, huge):
        """A figure of merit: more is better, whatever the distance of the CPUs."""
        for _ in range(ATTEMPTS):
            self.wait_calm(min(self.wait, 0.5))
            before = self.distance or self.probe()
            value = guarded(lambda: candidate.measure(TRY_SECONDS))
            after = self.probe()
            if machine.steady(before, after):
                break
        self.data['tried'].append({
            'hugepages': huge, 'group': group.title, 'candidate': str(candidate),
            'value': value, 'cache_line_ns': [before, after]})
        if group.less_is_better:
            return before / value
        return value * before

    def choose(self, group, peer, huge):
        merit = {}
        reason = 'no candidate'
        key = group.title, peer.name
        seen, before = self.finalists.get(key, (set(), None))
        for c in peer.candidates(self.m, huge):
            # In the second case: what was not among the fastest in the first is not tried.
            if before is not None and c.name in seen and c.name not in before:
                continue
            seen.add(c.name)
            try:
                merit[c] = [self.try_candidate(group, c, huge)]
            except Failed as e:
                reason = e
                self.data['tried'].append({'hugepages': huge, 'group': group.title,
                                           'candidate': str(c), 'failed': str(e)})
        best = sorted(merit, key=lambda c: merit[c][0], reverse=True)[:FINALISTS]
        self.finalists[key] = seen, {c.name for c in best}
        for _ in range(2 if len(best) > 1 else 0):
            for c in best:
                try:
                    merit[c].append(self.try_candidate(group, c, huge))
                except Failed:
                    merit[c].append(0.0)
        if not best:
            self.missing(huge, '%s, %s' % (group.title, peer.name), reason)
            return None
        return max(best, key=lambda c: statistics.median(merit[c]))

    # ---- rounds ----

    def run_ours(self, group, mine):
        def measure():
            if group.own is not None:
                own = group.own(self.m, mine.huge)
                value = own.measure(peers.SECONDS)
                step.append({'ratio': own.ratio})
                return value
            result = mine.measure([group.test], group.args, peers.SECONDS)[0]
            step.append(result)
            return ours.value(result, group.unit)
        step = []
        s = self.step(measure)
        s.results = step[0]
        return s

    def round(self, group, mine, chosen, record):
        """One round of one group: ours, theirs, ours, theirs, ..., ours."""
        beside = self.ours_beside(group, mine, record)
        for name, candidate in chosen.items():
            try:
                beside = self.pair(group, mine, candidate, record, record['pairs'][name], beside)
            except Failed as e:
                # One peer that fails is no reason to leave out the others.
                self.failed(group, record, '%s: %s' % (candidate, e))
                beside = self.ours_beside(group, mine, record)
        record['rounds'] += 1

    def failed(self, group, record, why):
        self.say('failed: %s: %s' % (group.title, why))
        record['failed'].append(str(why))

    def ours_beside(self, group, mine, record):
        """A run of ours, with the distance of the CPUs before and after it."""
        self.wait_calm(self.wait)
        p0 = self.probe()
        return self.ours_after(group, mine, record, p0)

    def ours_after(self, group, mine, record, p0):
        step = self.run_ours(group, mine)
        p1 = self.probe()
        record['limit_missing'] = step.results.get('limit_missing') or record['limit_missing']
        record['ours'].append({'value': step.value, 'ratio': step.results['ratio'],
                               'others': step.others, 'cache_line_ns': [p0, p1]})
        return step, p0, p1

    def pair(self, group, mine, candidate, record, pairs, before):
        """Theirs and ours again. Gives that last run of ours, for the next pair."""
        pair = None
        for _ in range(ATTEMPTS):
            self.wait_calm(self.wait)
            theirs = self.step(lambda: candidate.measure(peers.SECONDS))
            distance = self.probe()
            after = self.ours_after(group, mine, record, distance)
            beside = []
            if machine.steady(before[2], distance):
                beside = [s for s, p0, p1 in (before, after) if machine.steady(p0, p1)]
            quiet = [s for s in beside if s.others <= machine.OTHERS_MAX]
            beside = quiet or beside
            before = after
            if beside:
                mean = statistics.mean(s.value for s in beside)
                others = max([theirs.others] + [s.others for s in beside])
                if pair is None or others < pair['others']:
                    pair = {'ours': mean, 'theirs': theirs.value, 'ratio': mean / theirs.value,
                            'cache_line_ns': distance, 'others': others}
            if (quiet and theirs.others <= machine.OTHERS_MAX) or self.time_left() < 0:
                break
        if pair:
            pairs.append(pair)
        return before

    def measure_case(self, huge, groups, seconds):
        mine = ours.Ours(self.m, huge)
        records = []
        for group in groups:
            self.say('%s: trying the settings of the peers' % group.title)
            chosen = {}
            try:
                self.probe()
                self.run_ours(group, mine)
            except Failed as e:
                self.missing(huge, '%s, ours' % group.title, e)
                continue
            for peer in group.peers:
                candidate = self.choose(group, peer, huge)
                if candidate is not None:
                    chosen[peer.name] = candidate
            records.append((group, chosen, {
                'title': group.title, 'hugepages': huge, 'unit': group.unit,
                'settings': {n: str(c) for n, c in chosen.items()},
                'limit_missing': 'no run of it counts', 'rounds': 0, 'failed': [], 'ours': [],
                'pairs': {n: [] for n in chosen}}))
        # The tries take as long as a peer that does not answer lets them.
        self.deadline = time.monotonic() + seconds
        # A round that failed, or in which the CPUs were moved, is made up for.
        for i in range(self.rounds + EXTRA_ROUNDS):
            todo = [r for r in records if self.lacks_rounds(r[2])]
            if not todo or (i >= self.rounds and self.time_left() < 0):
                break
            if self.time_left() < -PATIENCE:
                self.say('no time for more rounds: this machine is too busy')
                for _, _, record in todo:
                    record['failed'].append('no time left for a round')
                break
            self.say('round %d of %d, %s hugepages%s' % (
                i + 1, self.rounds, 'with' if huge else 'without',
                '' if i < self.rounds else ': made up for: ' + ', '.join(
                    r[0].title for r in todo)))
            for group, chosen, record in todo:
                try:
                    self.round(group, mine, chosen, record)
                except Failed as e:
                    self.failed(group, record, e)
        for group, _, record in records:
            self.data['groups'].append(record)
            why = record['failed'][-1] if record['failed'] else 'the CPUs were moved every time'
            if not record['ours']:
                self.missing(huge, group.title, why)
            for name, pairs in record['pairs'].items():
                if not pairs:
                    self.missing(huge, '%s, %s' % (group.title, name), why)

    def lacks_rounds(self, record):
        return min([record['rounds']] + [len(p) for p in record['pairs'].values()]) < self.rounds


def guarded(function):
    """What a program printed may be anything: nothing of it ends the comparison."""
    try:
        return function()
    except (ValueError, LookupError, TypeError, OSError) as e:
        raise Failed('unexpected output: %s: %s' % (type(e).__name__, e)) from e


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True, help='our build folder')
    parser.add_argument('--cpus', required=True, help='two CPUs')
    parser.add_argument('--huge', default='no,yes', help='which cases')
    parser.add_argument('--huge-missing', default='', help='why there is no case with hugepages')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=780.0,
                        help='of all rounds, without the tries: when to stop repeating')
    parser.add_argument('--wait', type=float, default=0.0,
                        help='how long to wait before each run for other processes to be quiet')
    parser.add_argument('--json', help='where the figures go')
    parser.add_argument('--rst', help='where the ratios go, as a table for the guide')
    parser.add_argument('--only', action='append', help='groups, by words of their titles')
    opt = parser.parse_args()

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix='compare-peers-') as work:
        m = machine.Machine(os.path.abspath(opt.build), work,
                            tuple(int(c) for c in opt.cpus.split(',')))
        comparison = Comparison(m, opt.rounds, opt.wait)
        groups = [g for g in rows.groups() if any(t in g.title for t in opt.only or [''])]
        if not groups:
            parser.error('--only: no row has the text: ' + ', '.join(opt.only))
        try:
            cases = [c == 'yes' for c in opt.huge.split(',')]
            for huge in cases:
                comparison.measure_case(huge, groups, opt.seconds / len(cases))
        finally:
            m.end_all()
    comparison.data['environment'] = table.environment(opt.cpus)
    table.show(comparison.data, groups, opt.rounds)
    if opt.huge_missing:
        print('No hugepages: %s.' % opt.huge_missing)
    if opt.rst:
        table.rst(comparison.data, opt.rst)
    if opt.json:
        comparison.data['hugepages_missing'] = opt.huge_missing
        with open(opt.json, 'w', encoding='utf-8') as f:
            json.dump(comparison.data, f, indent=1)
            f.write('\n')
    return 1 if comparison.data['not_measured'] else 0


if __name__ == '__main__':
    sys.exit(main())
