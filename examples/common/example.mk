# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# What the Makefiles of the examples share. They build against an installed librte_comch,
# which brings DPDK with it. Nothing of the source tree is used: this folder and that of
# an example can be copied together.

PKGCONF ?= pkg-config

ifneq ($(shell $(PKGCONF) --exists librte_comch && echo 0),0)
$(error "no installation of librte_comch found: set PKG_CONFIG_PATH to its pkgconfig folder")
endif

all: shared
.PHONY: all shared static clean
shared: build/$(APP)-shared
	ln -sf $(APP)-shared build/$(APP)
static: build/$(APP)-static
	ln -sf $(APP)-static build/$(APP)

PC_FILE := $(shell $(PKGCONF) --path librte_comch 2>/dev/null)
CFLAGS += -O3 $(shell $(PKGCONF) --cflags librte_comch)
LDFLAGS_SHARED = $(shell $(PKGCONF) --libs librte_comch) $(RUN_PATH)
LDFLAGS_STATIC = $(shell $(PKGCONF) --static --libs librte_comch)

# The program finds the libraries also where the dynamic linker does not search.
RUN_PATH = $(foreach pc,librte_comch libdpdk,-Wl,-rpath,$(shell $(PKGCONF) --variable=libdir $(pc)))

ifeq ($(MAKECMDGOALS),static)
# Drivers register themselves in constructors: their archives are taken whole.
ifeq ($(shell echo $(LDFLAGS_STATIC) | grep 'whole-archive.*l:lib.*no-whole-archive'),)
$(error "this pkg-config does not keep the order of flags that a static link needs")
endif
endif

CFLAGS += -D_GNU_SOURCE -DALLOW_EXPERIMENTAL_API
HEADERS := $(wildcard *.h dpa/*.h ../common/*.h)

build/$(APP)-shared: $(SRCS-y) $(HEADERS) Makefile $(PC_FILE) | build
	$(CC) $(CFLAGS) $(SRCS-y) -o $@ $(LDFLAGS) $(LDFLAGS_SHARED)

build/$(APP)-static: $(SRCS-y) $(HEADERS) Makefile $(PC_FILE) | build
	$(CC) $(CFLAGS) $(SRCS-y) -o $@ $(LDFLAGS) $(LDFLAGS_STATIC)

build:
	@mkdir -p $@

clean:
	rm -f build/$(APP) build/$(APP)-static build/$(APP)-shared build/$(APP)-dpa
	test ! -d build || rmdir build
