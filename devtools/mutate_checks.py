# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# For mutate.py: finds the checks of C files by their shape, and makes copies in which each
# can be switched. The style of the tree is taken for granted: a function begins with its
# name in the first column, and its braces are in the first column.

import re

# What makes a switch of a condition. Two mutants are made of most: "never", it is as if the
# condition were false, and "always".
HEADER = r'''/* Made by mutate.py: COMCH_MUTANT in the environment chooses a mutant, COMCH_MUTANT_MAP
 * names a file in which a byte for each condition says which values it had. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct comch_mutants {
	unsigned int set, chosen, value, size;
	unsigned char *map;
};
__attribute__((weak)) struct comch_mutants comch_mutants;

static inline bool
comch_mutant(unsigned int nr, bool value)
{
	if (comch_mutants.map != NULL)
		__atomic_fetch_or(&comch_mutants.map[nr], value ? 1 : 2, __ATOMIC_RELAXED);
	return comch_mutants.chosen == nr ? comch_mutants.value : value;
}
#define COMCH_MUT(nr, value) comch_mutant(nr, value)
#define COMCH_MUT_MIN(nr, a, b) __extension__ ({ __typeof__(a) a_ = (a); \
	__typeof__(b) b_ = (b); comch_mutant(nr, a_ < b_) ? a_ : b_; })

/* Of the runner: what was seen since the last case belongs to this one. */
static inline void
comch_mutants_case(const char *suite, const char *name)
{
	const char *path = getenv("COMCH_MUTANT_MAP");
	char file[512];
	unsigned int i, seen;
	FILE *f;

	if (comch_mutants.map == NULL)
		return;
	snprintf(file, sizeof(file), "%s.cases", path);
	f = fopen(file, "ae");
	fprintf(f, "%s:%s", suite, name);
	for (i = 0; i < comch_mutants.size; i++) {
		seen = __atomic_exchange_n(&comch_mutants.map[i], 0, __ATOMIC_RELAXED);
		if (seen != 0)
			fprintf(f, " %u.%u", i, seen);
	}
	fprintf(f, "\n");
	fclose(f);
}

__attribute__((constructor(101)))
static void
comch_mutants_init(void)
{
	const char *nr = getenv("COMCH_MUTANT"), *path = getenv("COMCH_MUTANT_MAP");
	int fd;

	if (comch_mutants.set++ != 0)
		return;
	if (nr != NULL) {
		comch_mutants.chosen = strtoul(nr, NULL, 10) / 2;
		comch_mutants.value = strtoul(nr, NULL, 10) % 2;
	}
	fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	comch_mutants.size = lseek(fd, 0, SEEK_END);
	comch_mutants.map = mmap(NULL, comch_mutants.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (comch_mutants.map == MAP_FAILED)
		comch_mutants.map = NULL;
	close(fd);
}
'''

# Programs for the offload processor take headers as well: nothing is switched there.
ELSEWHERE = '''#ifndef COMCH_MUT
#define COMCH_MUT(nr, value) (value)
#define COMCH_MUT_MIN(nr, a, b) RTE_MIN(a, b)
#endif
#line 1
'''

# A condition is a check if a branch of it leaves or says what is wrong, if it is what a
# function returns, if it is a bound, or if its function loads what others have written.
LEAVES = re.compile(r'\b(return|goto|continue|break)\b|\b\w*(violation|breach|broken|kill|fatal'
                    r'|refuse|error|fail|dead|lost)\w*\s*\(|_LOG\((ERR|WARNING|NOTICE)')
LOADS = re.compile(r'\b(peer|words|cqe|mad|wire|msg|hdr|host|prog|ctl|own|priv|rx|out|from)\b->|'
                   r'__atomic_load_n\(|\bbf_get\w*\(|read(32|64)\(|\bbe(16|32|64)\w*\(|\bpread\(|'
                   r'\bread\(|recv\w*\(|\bsscanf\(|\bstrto\w+\(|\bstrcmp\(|\bfgets\(|kvargs|'
                   r'\bioctl\(|\bf?stat\(|\bgetsockopt\(|region_read|config_read|copy')


class Site:
    """A condition: where it is, and what it is called in results."""

    def __init__(self, path, func, kind, start, end, text, values):
        self.path, self.func, self.kind, self.start, self.end = path, func, kind, start, end
        self.text, self.values = ' '.join(text.split()), values
        self.nr = self.ordinal = self.line = 0

    def key(self, value):
        ordinal = '' if self.ordinal == 0 else '#%d' % (self.ordinal + 1)
        return ' | '.join([self.path, self.func + ordinal, ('never', 'always')[value], self.kind,
                           self.text])


def blank(text):
    """The text without comments, strings and preprocessor lines, each place as it was."""
    def away(m):
        return re.sub(r'[^\n]', '_' if m.group(0)[0] in '"\'' else ' ', m.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                  r'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', away, text, flags=re.S | re.M)


def closing(mask, at):
    """Of the bracket at this place the one that closes it."""
    depth = 0
    for m in re.compile(r'[()\[\]{}]').finditer(mask, at):
        depth += 1 if m.group(0) in '([{' else -1
        if depth == 0:
            return m.start()
    raise ValueError('brackets')


def split(mask, start, end, word):
    """Parts between this operator, outside of brackets."""
    parts, at, i = [], start, start
    while i < end:
        if mask[i] in '([{':
            i = closing(mask, i)
        elif mask.startswith(word, i):
            parts.append((at, i))
            at = i + len(word)
            i = at - 1
        i += 1
    return parts + [(at, end)]


def trim(mask, start, end):
    while start < end and mask[start].isspace():
        start += 1
    while start < end and mask[end - 1].isspace():
        end -= 1
    return start, end


def inside(mask, start, end):
    """Without brackets around all, or likely()."""
    while True:
        start, end = trim(mask, start, end)
        m = re.compile(r'(?:un)?(?:likely)?\s*\(').match(mask, start, end)
        if not m or closing(mask, m.end() - 1) != end - 1:
            return start, end
        start, end = m.end(), end - 1


def operands(mask, start, end):
    """Places of operands of && and ||, and the value that takes each out."""
    start, end = inside(mask, start, end)
    if len(split(mask, start, end, '?')) > 1:
        return
    for word, out in (('||', 0), ('&&', 1)):
        parts = split(mask, start, end, word)
        if len(parts) > 1:
            for part in parts:
                yield trim(mask, *part), out
                yield from operands(mask, *part)
            return


def statement(mask, at):
    """The end of the statement that begins here."""
    at = re.compile(r'\s*').match(mask, at).end()
    if mask[at] == '{':
        return closing(mask, at) + 1
    m = re.compile(r'(?:else\s+)?(?:if|for|while|switch)\s*\(').match(mask, at)
    if m:
        return statement(mask, closing(mask, m.end() - 1) + 1)
    while mask[at] != ';':
        at = closing(mask, at) + 1 if mask[at] in '([{' else at + 1
    return at + 1


def ternary_start(mask, at, first):
    """Where the condition of the ? at this place begins."""
    depth = 0
    while at > first:
        at -= 1
        c = mask[at]
        if c in ')]}':
            depth += 1
        elif c in '([{':
            if depth == 0:
                return at + 1
            depth -= 1
        elif depth == 0 and (c in ',;?:' or c == '=' and mask[at - 1] not in '=!<>' and
                             mask[at + 1] != '='):
            return at + 1
        elif depth == 0 and re.match(r'\breturn\b', mask[at:at + 7]) and not mask[at - 1].isalnum():
            return at + 6
    return first


def is_said(mask, at, begin):
    """Whether this place is in what a log or a dump says."""
    depth = 0
    while at > begin and mask[at] not in ';{}':
        if mask[at] == ')':
            depth += 1
        elif mask[at] == '(':
            depth -= 1
            if depth < 0 and re.search(r'(_LOG|printf)\s*$', mask[max(begin, at - 40):at]):
                return True
            depth = max(depth, 0)
        at -= 1
    return False


def of_function(path, text, mask, func, begin, end, is_bool):
    """Sites of one function."""
    loads = LOADS.search(mask, begin, end) is not None

    def site(kind, start, stop, values):
        start, stop = trim(mask, start, stop)
        return Site(path, func, kind, start, stop, text[start:stop], values)

    def condition(kind, start, stop, values=(0, 1)):
        yield site(kind, start, stop, values)
        for place, out in operands(mask, start, stop):
            yield site(kind + ' part', *place, (out,))

    shapes = re.compile(r'\b(if|while|for)\s*\(|\breturn\b|\?|\bRTE_MIN\(')
    for m in shapes.finditer(mask, begin, end):
        at, close = m.end(), 0
        if m.group(0).endswith('('):
            close = closing(mask, at - 1)
        if m.group(1) == 'if':
            stop = statement(mask, close + 1)
            other = re.compile(r'\s*else\b').match(mask, stop)
            if other:
                stop = statement(mask, other.end())
            if loads or LEAVES.search(mask, close, stop):
                yield from condition('if', at, close)
        elif m.group(1) == 'while':
            yield from condition('while', at, close)
        elif m.group(1) == 'for':
            parts = split(mask, at, close, ';')
            if len(parts) == 3 and '&&' in mask[parts[1][0]:parts[1][1]]:
                yield from list(condition('for', *parts[1]))[1:]
        elif m.group(0) == 'return':
            stop = mask.index(';', at)
            if is_bool and len(split(mask, at, stop, '?')) == 1 and \
                    re.search(r'[<>=!]=|[<>!&]|\w\(', mask[at:stop]):
                yield from condition('return', at, stop)
        elif m.group(0) == '?':
            start = ternary_start(mask, m.start(), begin)
            before = mask.rfind(';', begin, start)
            if not is_said(mask, m.start(), begin) and \
                    not re.search(r'static const|_Static_assert|BUILD_BUG', mask[before + 1:start]):
                yield from condition('?:', start, m.start())
        else:
            yield site('RTE_MIN', m.start(), close + 1, (0, 1))


def sites_of(path, text):
    """All sites of a file, in the order of their places."""
    mask = blank(text)
    found = []
    for m in re.finditer(r'^\{$', mask, re.M):
        end = closing(mask, m.start())
        head = mask[:m.start()]
        names = list(re.finditer(r'^(\w+)\(', head, re.M))
        if not names or ';' in head[names[-1].start():] or '}' in head[names[-1].start():]:
            continue
        before = head[:names[-1].start()].rstrip('\n').rsplit('\n', 1)[-1]
        found += of_function(path, text, mask, names[-1].group(1), m.start(), end, 'bool' in before)
    unique = {}
    for s in found:
        unique.setdefault((s.start, s.end), s)
    seen = {}
    for s in sorted(unique.values(), key=lambda s: (s.start, -s.end)):
        s.line = text.count('\n', 0, s.start) + 1
        s.ordinal = seen.setdefault((s.func, s.kind, s.text), -1) + 1
        seen[(s.func, s.kind, s.text)] = s.ordinal
        yield s


def rewrite(text, sites, is_header):
    """The text with all of its sites switchable."""
    changes = []
    for s in sites:
        if s.kind == 'RTE_MIN':
            changes.append((s.start, 1, 'COMCH_MUT_MIN(%d, ' % s.nr, s.start + len('RTE_MIN(')))
        else:
            changes.append((s.start, -s.end, 'COMCH_MUT(%d, (' % s.nr, s.start))
            changes.append((s.end, -(1 << 30) - s.start, '))', s.end))
    out, at = [], 0
    for start, _, new, after in sorted(changes):
        out += [text[at:start], new]
        at = after
    return (ELSEWHERE if is_header else '') + ''.join(out) + text[at:]
