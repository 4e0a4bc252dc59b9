/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a program of an offload processor has beside its own functions: the places to end
 * a run from, maps of the host, and a log with a format. Freestanding. comch-dpacc builds
 * it into every program.
 */

#include <stdarg.h>

#include <doca_dpa_dev.h>

#define LINE_SIZE 128
#define NB_EUS 64
#define DIGITS_SIZE 24

void *doca_compat_dpa_dev_runs[NB_EUS][5];

static uint32_t log_level = DOCA_DPA_DEV_LOG_LEVEL_INFO;

/* By doca_dpa_set_log_level(). */
RTE_COMCH_DPA_RPC(doca_dpa_log_level)
{
	__atomic_store_n(&log_level, (uint32_t)args[0], __ATOMIC_RELAXED);
	return 0;
}

struct doca_compat_dpa_dev_mmap doca_compat_dpa_dev_mmaps[DOCA_COMPAT_DPA_MMAPS];

/* By the host: the window of a handle; 0: there is none any more. */
RTE_COMCH_DPA_RPC(doca_dpa_mmap_set)
{
	struct doca_compat_dpa_dev_mmap *mmap;

	if (args[0] == 0 || args[0] > DOCA_COMPAT_DPA_MMAPS)
		return 1;
	mmap = &doca_compat_dpa_dev_mmaps[args[0] - 1];
	if (args[1] != 0) {
		mmap->addr = args[2];
		mmap->len = args[3];
		mmap->offset = args[4];
	}
	/* release: whoever sees the window sees where it is */
	__atomic_store_n(&mmap->window, (uint32_t)args[1], __ATOMIC_RELEASE);
	return 0;
}

struct line {
	char text[LINE_SIZE]; /* always with room for a 0 */
	uint32_t len;
};

static void
put(struct line *line, char c)
{
	if (line->len < LINE_SIZE - 1)
		line->text[line->len++] = c;
}

static void
put_text(struct line *line, const char *text)
{
	if (text == NULL)
		text = "(null)";
	while (*text != '\0')
		put(line, *text++);
}

struct spec {
	uint32_t width;
	char fill;
	bool wide; /* 64 bits */
};

static void
put_number(struct line *line, uint64_t value, bool minus, uint32_t base, const struct spec *spec)
{
	char digits[DIGITS_SIZE];
	uint32_t nb = 0, used;

	do {
		digits[nb++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	if (minus && spec->fill == '0')
		put(line, '-');
	for (used = nb + minus; used < spec->width; used++)
		put(line, spec->fill);
	if (minus && spec->fill != '0')
		put(line, '-');
	while (nb > 0)
		put(line, digits[--nb]);
}

/* What stands between % and the letter. */
static const char *
read_spec(const char *format, struct spec *spec)
{
	*spec = (struct spec){.fill = ' '};
	if (*format == '0') {
		spec->fill = '0';
		format++;
	}
	for (; *format >= '0' && *format <= '9'; format++)
		spec->width = spec->width * 10 + (uint32_t)(*format - '0');
	if (spec->width > LINE_SIZE)
		spec->width = LINE_SIZE;
	for (; *format == 'l' || *format == 'z'; format++)
		spec->wide = true;
	return format;
}

/* Structures with a list of arguments are handed on by all machines, lists are not. */
struct args {
	va_list list;
};

static void
put_arg(struct line *line, char letter, const struct spec *spec, struct args *args)
{
	int64_t number;

	switch (letter) {
	case 'd':
	case 'i':
		number = spec->wide ? va_arg(args->list, int64_t) : va_arg(args->list, int32_t);
		put_number(line, number < 0 ? -(uint64_t)number : (uint64_t)number, number < 0, 10,
			spec);
		break;
	case 'u':
	case 'x':
	case 'X':
		put_number(line, spec->wide ? va_arg(args->list, uint64_t) :
			va_arg(args->list, uint32_t), false, letter == 'u' ? 10 : 16, spec);
		break;
	case 'p':
		put_text(line, "0x");
		put_number(line, (uintptr_t)va_arg(args->list, void *), false, 16, spec);
		break;
	case 's':
		put_text(line, va_arg(args->list, const char *));
		break;
	case 'c':
		put(line, (char)va_arg(args->list, int));
		break;
	default:
		put(line, letter);
		break;
	}
}

void
doca_compat_dpa_dev_log(enum doca_dpa_dev_log_level level, const char *format, ...)
{
	struct line line = {.len = 0};
	struct spec spec;
	struct args args;

	if ((uint32_t)level > __atomic_load_n(&log_level, __ATOMIC_RELAXED))
		return;
	va_start(args.list, format);
	while (*format != '\0') {
		if (*format != '%') {
			put(&line, *format++);
			continue;
		}
		format = read_spec(format + 1, &spec);
		if (*format != '\0')
			put_arg(&line, *format++, &spec, &args);
	}
	va_end(args.list);
	line.text[line.len] = '\0';
	rte_comch_dpa_dev_log(line.text);
}
