#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# usage: check-calls.py <build folder>
#
# Each function that the library and the drivers call and do not have is one that can fail in
# the suites of faults (app/test/mock/test_calls.c), or is in the list below, with the reason
# why it stays. What is in neither is new: decide.

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ['lib/librte_comch.a', 'drivers/librte_comch_shm.a', 'drivers/librte_comch_bluefield.a']
LINE = re.compile(r'(?:ALLOC|SYSTEM|CALL)[A-Z_]*\((?:TEST_CALLS_SYSTEM, )?'
                  r'(?:(?:const )?[a-zA-Z_ ]+ ?\*?, )?([a-z0-9_]+),')

STAYS = {
    'it does not fail, or its result is of no matter': '''
        clock_gettime close closedir dirfd fclose feof free geteuid getpagesize getpid getrlimit64
        getuid munmap pthread_[a-z_]* setvbuf shutdown sigfillset sysconf usleep waitid
        waitpid''',
    'it does not ask for anything': '''
        __ctype_b_loc __errno_location __tls_get_addr _GLOBAL_OFFSET_TABLE_ inet_[np]to[np] mem[a-z]*
        qsort snprintf str[a-z]* vsnprintf __isoc99_sscanf per_lcore_[a-z_]*''',
    'it is of a stream, whose opening fails': '''
        __isoc99_fscanf fdopen ferror fgets fopen fprintf fputc fwrite lseek64 readdir64 rewinddir vfprintf''',
    "it is DPDK's, and takes neither memory nor threads": r'''
        _*rte_(?!malloc|zmalloc|calloc|realloc|mempool_create|memzone_reserve|pktmbuf_pool|ctrl|thread)\w*
        ''',
}


def symbols(archive, *options):
    out = subprocess.run(['nm', *options, archive], check=True, capture_output=True, text=True)
    return {line.split()[-1] for line in out.stdout.split('\n') if re.search(r' \w ', line)}


def main():
    build = pathlib.Path(sys.argv[1])
    archives = [build / part for part in PARTS if (build / part).exists()]
    ours = set().union(*(symbols(a, '--defined-only') for a in archives))
    called = set().union(*(symbols(a, '-u') for a in archives)) - ours
    fail = {m.group(1) for m in map(LINE.match, (ROOT / 'app/test/mock/test_calls.c').open()) if m}
    stays = [re.compile(w) for words in STAYS.values() for w in words.split()]
    new = sorted(c for c in called - fail
                 if not c.startswith(('__asan', '__ubsan')) and not any(s.fullmatch(c) for s in stays))
    for name in new:
        print(f'{name}: neither fails in app/test/mock/test_calls.c, nor has a reason to stay')
    if not archives or not fail:
        sys.exit('no archives, or no table')
    print(f'{len(fail & called)} functions can fail, {len(called - fail) - len(new)} stay')
    sys.exit(1 if new else 0)


main()
