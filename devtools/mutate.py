#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors

"""Takes out one check of foreign values at a time, and looks which test notices.

usage: mutate.py [options] [pattern of files]...

  --list            print the mutants, and run nothing
  --only TEXT       those whose key contains the text
  --sample N        N of them, taken by --seed S (1)
  --again           those with a result as well
  --deeper          those that survived, and not all of their cases were run
  --jobs N          run N at once (1)
  --dir FOLDER      where the copy, its build and the results are (build-mutants)
  --suites PATTERNS look only at these tests, such as 'shm_*,comch_conn'
  --most SECONDS    of tests in which it shows, for one mutant (30)

It copies the tree, with a switch around each condition that devtools/mutate_checks.py finds,
builds it once, and runs each test once to see which case reaches which condition with which
value. Then it runs for each mutant the cases that reach it, until one fails. A mutant that
the results have is not run again, so it can be stopped at any time.

devtools/mutants-kept.txt has those that no test notices, each with the reason; the status is
1 if there is another one.
"""

import argparse
import collections
import concurrent.futures
import fcntl
import fnmatch
import hashlib
import json
import os
import re
import resource
import selectors
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / 'devtools'))

import mutate_checks as checks  # noqa: E402

# Where values of peers, programs, devices and files come in, by room.
ROOMS = {
    'shm': ['drivers/comch/shm/*.[ch]'],
    'shm/broker': ['drivers/comch/shm/broker/*.c'],
    'shm/dpa': ['drivers/comch/shm/dpa/*.[ch]'],
    'bluefield': ['drivers/comch/bluefield/*.[ch]'],
    **{'bluefield/' + d: ['drivers/comch/bluefield/%s/*.[ch]' % d] for d in
       ('chan', 'cm', 'dev', 'fast', 'fw', 'hw', 'obj', 'report', 'vfu', 'wq')},
    'net': ['drivers/net/comch/*.[ch]'],
    'lib': ['lib/comch/rte_comch_%s.[ch]' % f for f in ('telemetry', 'meta', 'text')],
}
BROKER = 'drivers/comch/shm/broker/shm_broker_main.c'
# Tests that run once more, elsewhere: as devtools/test/meson.build has them.
ELSEWHERE = {
    'bluefield': ({'COMCH_TEST_DEVS': 'bluefield'}, (
        'comch_conn', 'comch_fp', 'comch_fp_api', 'comch_fp_debug', 'comch_fp_event',
        'comch_fp_idle', 'comch_fp_many', 'comch_fp_mbuf', 'comch_fp_meta', 'comch_fp_race',
        'comch_fp_regress', 'comch_fp_room', 'comch_fp_size', 'comch_fp_stop',
        'comch_mem_bounce', 'comch_mem_pool', 'comch_task_batch', 'comch_telemetry',
        'net_comch')),
    'brokers': ({'COMCH_TEST_BROKER': 'all'}, ('shm_ledger', 'shm_peer_fast', 'comch_conn')),
}
# They look at orders of memory accesses, or for minutes.
NOT_RUN = ('*_order', 'shm_attack_storm')
CASE = re.compile(r' \+ TestCase \[ *\d+\] : (\w+) (succeeded|failed|skipped)(?:.*\((\d+) ms\))?')
TEST = re.compile(r'^REGISTER_(?:FAST|SLOW)_TEST\(([a-z0-9_]+?)_autotest', re.M)
# Folders whose helpers no test elsewhere uses.
OWN_TESTS = ('app/test/bluefield/', 'app/test/net/', 'app/test/order/')
BATCH = 12
# The program of another user has no environment: its number stands in its file.
BROKER_HEADER = '''static volatile struct {
	char mark[16];
	unsigned int chosen, value;
} comch_mutants = { "comch's mutants", ~0u, 0 };
static inline _Bool comch_mutant(unsigned int nr, _Bool value)
{ return comch_mutants.chosen == nr ? comch_mutants.value : value; }
#define COMCH_MUT(nr, value) comch_mutant(nr, value)
#line 1
'''
IMAGE = '''static const void *comch_mutants_image(const void *image, size_t size)
{
	static unsigned char copy[1 << 20];
	unsigned char *mark;
	memcpy(copy, image, size);
	mark = memmem(copy, size, "comch's mutants", 16);
	if (comch_mutants.chosen != 0)
		memcpy(mark + 16, &comch_mutants.chosen, 8);
	return copy;
}
'''


def say(*words):
    print(*words, flush=True)


def room_of(path):
    return next(r for r, globs in ROOMS.items()
                if any(str(Path(path).parent) == str(Path(g).parent) and
                       fnmatch.fnmatch(path, g) for g in globs))


def source_files():
    return sorted(str(f.relative_to(TOP)) for globs in ROOMS.values() for g in globs
                  for f in TOP.glob(g))


def all_sites():
    """Number them from 1; 0 is no mutant."""
    sites = [s for path in source_files()
             for s in checks.sites_of(path, (TOP / path).read_text())]
    for nr, s in enumerate(sites, 1):
        s.nr = nr
    return sites


def put(path, text):
    """Write what is new only, so that ninja builds no more than that."""
    if not path.is_file() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        return True
    return False


def tests_in(paths):
    return {m.group(1) for p in paths if p.suffix == '.c' for m in TEST.finditer(p.read_text())}


def copy_tree(src, sites):
    """The tree with switches. Which tests have to be looked at anew: names, or '*' for all."""
    by_path = collections.defaultdict(list)
    for s in sites:
        by_path[s.path].append(s)
    names = subprocess.check_output(['bash', '-c', '. devtools/tree-files.sh; tree_files "*"; '
                                     'printf "%s\\n" "${files[@]}"'], cwd=TOP, text=True)
    anew = set()
    for name in names.splitlines():
        path = TOP / name
        if not path.is_file() or path.is_symlink():
            continue
        data = path.read_bytes()
        if name in by_path:
            data = checks.rewrite(data.decode(), by_path[name], name.endswith('.h')).encode()
        if name == BROKER:
            data = BROKER_HEADER.encode() + data
        elif name.endswith('/shm_broker.c'):
            data = data.replace(b'static int\nimage_open',
                                IMAGE.encode() + b'static int\nimage_open')
            data = data.replace(b'write(fd, broker_image,', b'write(fd, comch_mutants_image('
                                b'broker_image, sizeof(broker_image)),')
        elif name == 'app/test/test.c':
            data = data.replace(b'\tprintf(" + TestCase [',
                                b'\tcomch_mutants_case("", name);\n\tprintf(" + TestCase [')
        # other files change nothing of what tests reach
        if put(src / name, data) and name.startswith(('app/', 'drivers/', 'lib/')):
            anew |= tests_in([path]) or (name.startswith(OWN_TESTS) and
                                         tests_in(path.parent.glob('*.c'))) or {'*'}
        os.chmod(src / name, path.stat().st_mode & 0o777)
    return anew | ({'*'} if put(src / 'comch_mutants.h', checks.HEADER.encode()) else set())


def build(work, sites):
    src, out = work / 'src', work / 'build'
    anew = copy_tree(src, sites)
    if not (out / 'build.ninja').is_file():
        subprocess.run(['meson', 'setup', out, src, '-Dcheck_includes=false', '-Dexamples=false',
                        '-Ddoca_compat=disabled', '-Dwarning_level=0', '-Doptimization=1',
                        "-Dc_args=['-include', '%s/comch_mutants.h', '-w']" % src],
                       check=True, stdout=subprocess.DEVNULL)
    reached = work / 'reached.json'
    if anew and reached.is_file():
        old = json.loads(reached.read_text())
        reached.write_text(json.dumps({s: cases for s, cases in old.items() if '*' not in anew and
                                       s.partition('@')[0] not in anew}))
    say('build of %d conditions in %s' % (len(sites), out))
    done = subprocess.run(['ninja', '-C', out, '-j2', 'app/comch-autotest', 'test-dpa-programs',
                           'app/comch-bluefield-model'], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout[-6000:])
    return out


class Tests:
    """Runs cases of the build, and knows which of them reach which condition."""

    def __init__(self, work, pattern):
        self.work, self.out = work, work / 'build'
        self.cores = sorted(os.sched_getaffinity(0))[:4]
        self.file = work / 'reached.json'
        self.reached = json.loads(self.file.read_text()) if self.file.is_file() else {}
        self.killers = collections.defaultdict(set)
        self.alone = {}
        suites = [s for s in sorted(tests_in((TOP / 'app/test').glob('*/*.c')))
                  if not any(fnmatch.fnmatch(s, no) for no in NOT_RUN) and
                  any(fnmatch.fnmatch(s, p) for p in pattern.split(','))]
        self.suites = suites + [s + '@' + place for place, (_, names) in ELSEWHERE.items()
                                for s in names if s in suites]

    def run(self, names, env, seconds):
        """Yields (case, result, ms) as they end, and last ('', status or 'time', 0)."""
        suite, _, place = names[0].partition(':')[0].partition('@')
        words = [suite + '_autotest' + n[len(names[0].partition(':')[0]):] for n in names]
        env = {**os.environ, **env, **(ELSEWHERE[place][0] if place else {})}
        with subprocess.Popen(
                # if memory is short, the kernel ends it first
                ['choom', '-n', '1000', '--', self.out / 'app/comch-autotest', '--no-huge',
                 '-m', '256', '--no-pci',
                 '--file-prefix=comch-mutant-%d-%d' % (os.getpid(), threading.get_native_id()),
                 '--lcores', ','.join(map(str, self.cores)), '--'] + words,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=env, start_new_session=True) as process:
            try:
                yield from self.lines(process, time.monotonic() + seconds)
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def lines(self, process, until):
        text = b''
        with selectors.DefaultSelector() as wait:
            wait.register(process.stdout, selectors.EVENT_READ)
            while True:
                if not wait.select(max(0, until - time.monotonic())):
                    yield '', 'time', 0
                    return
                got = os.read(process.stdout.fileno(), 65536)
                *lines, text = (text + got).split(b'\n')
                for line in lines:
                    m = CASE.match(line.decode(errors='replace'))
                    if m:
                        yield m.group(1), m.group(2), int(m.group(3) or 0)
                if not got:
                    break
        try:
            yield '', process.wait(max(1, until - time.monotonic())), 0
        except subprocess.TimeoutExpired:
            yield '', 'time', 0

    def look(self, nb_sites, jobs):
        """Which case reaches what: one run of each test."""
        todo = [s for s in self.suites if s not in self.reached]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            running = {pool.submit(self.look_at, s, nb_sites): s for s in todo}
            for done, ended in enumerate(concurrent.futures.as_completed(running), 1):
                suite, good = running[ended], ended.result()
                self.reached[suite] = good
                self.file.write_text(json.dumps(self.reached))
                say('%d of %d: %s, %d cases passed' % (done, len(todo), suite, len(good)))

    def look_at(self, suite, nb_sites):
        seen = self.work / ('seen-' + suite)
        seen.write_bytes(bytes(nb_sites + 1))
        cases = Path(str(seen) + '.cases')
        cases.unlink(missing_ok=True)
        results = list(self.run([suite], {'COMCH_MUTANT_MAP': str(seen)}, 400))
        lines = cases.read_text().splitlines() if cases.is_file() else []
        good = {}
        for (name, result, ms), line in zip(results, lines):
            if result == 'succeeded':
                # a suite may have it twice, in other circumstances
                seen_by = good.setdefault(name, [0, {}])
                seen_by[0] += ms
                for nr, bits in (map(int, w.split('.')) for w in line.split()[1:]):
                    seen_by[1][nr] = seen_by[1].get(nr, 0) | bits
        seen.unlink()
        cases.unlink(missing_ok=True)
        return good

    def by_site(self):
        """(site, value): [(ms, case)], for each value that a condition had in a case."""
        index = collections.defaultdict(list)
        for suite in self.suites:
            for name, (ms, seen) in self.reached.get(suite, {}).items():
                for nr, bits in seen.items():
                    for value in (0, 1):
                        if bits & (1 if value else 2):
                            index[int(nr), value].append((ms, suite + ':' + name))
        return index

    def beside(self, cases):
        """All cases of the suites of these: a broker lives on from one to the next."""
        suites = {c[1].partition(':')[0] for c in cases}
        return sorted((ms, s + ':' + name) for s in suites
                      for name, (ms, _) in self.reached[s].items())

    def killer(self, site, value, cases, most):
        """The case that fails with this mutant, and how many cases were run."""
        env = {'COMCH_MUTANT': str(2 * site.nr + value)}
        known = [self.killers[k] for k in ((site.path, site.func), site.path)]
        # those of attackers are about checks
        cases = sorted(cases, key=lambda c: (
            next((i for i, k in enumerate(known) if c[1] in k), 2), c[0] / (4 if re.search(
                'peer|hostile|attack|bad|fail|args|meet', c[1]) else 1)))
        nb, spent = 0, 0
        while cases and spent < most * 1000:
            suite = cases[0][1].partition(':')[0]
            batch = [c for c in cases if c[1].startswith(suite + ':')][:BATCH]
            while len(batch) > 1 and sum(c[0] for c in batch) > 3000:
                batch.pop()
            cases = [c for c in cases if c not in batch]
            ms, names = sum(c[0] for c in batch), [c[1] for c in batch]
            spent += ms + 300
            who = self.fails(names, env, 10 + ms / 100)
            # once more, alone: a busy machine fails as well
            if who is not None and self.fails([who[0]], env, 10 + ms / 100) is not None and \
                    self.passes_alone(who[0]):
                self.killed(site.path, site.func, who[0])
                return who[0] + who[1], nb + names.index(who[0]) + 1
            nb += len(batch)
        return None, nb

    def passes_alone(self, case):
        """Without a mutant: some need what a case before them has left."""
        if case not in self.alone:
            self.alone[case] = self.fails([case], {}, 60) is None
        return self.alone[case]

    def killed(self, path, func, case):
        """Others of this function, and this file, try that case first."""
        self.killers[path, func].add(case)
        self.killers[path].add(case)

    def fails(self, names, env, seconds):
        left = list(names)
        for case, result, _ in self.run(names, env, seconds):
            if case == '':
                return None if result == 0 else \
                    (left[0] if left else names[-1], ' (time)' if result == 'time' else ' (died)')
            # each passed without a mutant; a suite that cannot begin skips all of them
            if result != 'succeeded':
                return next((n for n in names if n.endswith(':' + case)), names[0]), \
                    ' (skipped)' if result == 'skipped' else ''
            left = [n for n in left if not n.endswith(':' + case)]
        return None


class Kept:
    """Survivors that are known, and why: keys, or what keys begin with up to one of their bars."""

    def __init__(self):
        path = TOP / 'devtools/mutants-kept.txt'
        self.reasons, reason = {}, ''
        for line in path.read_text().splitlines() if path.is_file() else []:
            if line.startswith('= '):
                reason = line[2:]
            elif line and not line.startswith('#'):
                self.reasons[line] = reason

    def why(self, key):
        """The reason, or ''."""
        parts = key.split(' | ')
        return next((self.reasons[k] for k in (' | '.join(parts[:n]) for n in
                                               range(len(parts), 0, -1)) if k in self.reasons), '')


def results_of(path):
    lines = path.read_text().splitlines() if path.is_file() else []
    return {key: result for result, key in (line.split('\t') for line in lines)}


def table(sites, results, reasons):
    """Counts for each room, of all results."""
    columns = ('mutants', 'run', 'killed', 'kept', 'open', 'survived')
    rows = collections.defaultdict(collections.Counter)
    for s in sites:
        for key in map(s.key, s.values):
            said = ['mutants']
            if key in results:
                left = 'killed' if results[key].startswith('killed') else 'survived'
                if left == 'survived' and reasons.why(key):
                    left = 'open' if reasons.why(key).startswith('open') else 'kept'
                said += ['run', left]
            rows[room_of(s.path)].update(said)
            rows['all'].update(said)
    say(('%-18s' + ' %8s' * len(columns)) % ('room', *columns))
    for room in [*ROOMS, 'all']:
        say(('%-18s' + ' %8d' * len(columns)) % (room, *(rows[room][c] for c in columns)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ('--list', '--again', '--deeper'):
        parser.add_argument(name, action='store_true')
    for name, default in (('--only', ''), ('--suites', '*'), ('--dir', TOP / 'build-mutants')):
        parser.add_argument(name, default=default)
    for name, default in (('--sample', 0), ('--seed', 1), ('--most', 30), ('--jobs', 1)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument('files', nargs='*')
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # a mutant may want all memory there is, in a file of its own
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 30, 4 << 30))

    sites = all_sites()
    todo = [(s, v) for s in sites for v in s.values if args.only in s.key(v) and
            (not args.files or any(fnmatch.fnmatch(s.path, '*' + f) for f in args.files))]
    if not todo:
        sys.exit('no condition is in what you ask for: see --list without more')
    if args.sample:
        # the same ones as the tree changes
        todo.sort(key=lambda t: hashlib.sha256(
            ('%d %s' % (args.seed, t[0].key(t[1]))).encode()).digest())
        todo = todo[:args.sample]
    if args.list:
        for s, value in todo:
            say('%d %s' % (s.line, s.key(value)))
        say('%d mutants of %d conditions' % (len(todo), len({s.nr for s, _ in todo})))
        return 0

    work = Path(args.dir).absolute()
    work.mkdir(parents=True, exist_ok=True)
    lock = (work / 'lock').open('w')
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    build(work, sites)
    tests = Tests(work, args.suites)
    tests.look(len(sites), args.jobs)
    index = tests.by_site()
    broker = tests.beside(c for s in sites if s.func == 'broker_exec' for v in (0, 1)
                          for c in index[s.nr, v])
    path, reasons = work / 'results.txt', Kept()
    former = results_of(path)
    results = {} if args.again else former
    for key, result in former.items():
        if result.startswith('killed by '):
            where, func = key.split(' | ')[:2]
            tests.killed(where, func.partition('#')[0], result.split()[2])
    if args.deeper:
        seen = {k: re.match(r'SURVIVED (\d+) of (\d+)', r) for k, r in results.items()}
        results = {k: r for k, r in results.items() if not seen[k] or seen[k][1] == seen[k][2]}
        todo = [t for t in todo if seen.get(t[0].key(t[1]))]
    # the cases where the condition had the other value; those without are quick
    todo = [(s, v, index[s.nr, 1 - v] if s.path != BROKER else broker)
            for s, v in todo if s.key(v) not in results]
    # a part of the tests does not say that none reaches it
    if args.suites != '*':
        say('%d mutants that these tests do not reach are left out' % sum(not t[2] for t in todo))
    todo = sorted((t for t in todo if t[2] or args.suites == '*'), key=lambda t: bool(t[2]))

    def one(site, value, cases):
        if not cases:
            return 'SURVIVED, no case has it %s' % ('false', 'true')[1 - value]
        who, nb = tests.killer(site, value, cases, args.most)
        return 'killed by ' + who if who else 'SURVIVED %d of %d cases' % (nb, len(cases))

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = {pool.submit(one, *t): t for t in todo}
        try:
            for nr, done in enumerate(concurrent.futures.as_completed(running), 1):
                s, value, _ = running[done]
                result, key = done.result(), s.key(value)
                with path.open('a') as f:
                    f.write('%s\t%s\n' % (result, key))
                if result.startswith('SURVIVED'):
                    bad += not reasons.why(key)
                    result += ', kept: ' + reasons.why(key) if reasons.why(key) else ''
                say('%d of %d, line %d: %s\n    %s' % (nr, len(todo), s.line, key, result))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    table(sites, results_of(path), reasons)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
