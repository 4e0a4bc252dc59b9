# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The dpdk-comch authors
#
# What the Makefiles of the neighbours share. Nothing of the source tree is used: this
# folder and that of an example can be copied together.

PKGCONF ?= pkg-config

ifneq ($(shell $(PKGCONF) --exists $(MODULES) && echo 0),0)
$(error "no installation of $(MODULES) found: set PKG_CONFIG_PATH to its folder dpdk-comch/doca/pkgconfig, or pkgconfig-dpu for the side of the card")
endif

all: build/$(APP)
.PHONY: all clean

CFLAGS += -O3 -Wall -Wextra -pthread -DDOCA_ALLOW_EXPERIMENTAL_API
CFLAGS += $(shell $(PKGCONF) --cflags $(MODULES))
LIBS = $(shell $(PKGCONF) --libs $(MODULES))

build/$(APP): $(SRCS-y) $(wildcard *.h ../common/*.h) Makefile | build
	$(CC) $(CFLAGS) $(SRCS-y) -o $@ $(LDFLAGS) $(LIBS)

build:
	@mkdir -p $@

clean:
	rm -f build/$(APP)
	test ! -d build || rmdir build
