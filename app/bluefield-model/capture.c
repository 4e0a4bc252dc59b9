/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Datagrams as they come to the switch, those that it drops too, in a pcapng file: of
 * Ethernet or InfiniBand, with an interface for each function that sends. Checksums of
 * the transport are 0, as nobody looks at them here.
 */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "data.h"

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_PACKET 6u
#define OPTION_NAME 2u
#define LINK_ETHERNET 1u
/* Wireshark reads InfiniBand in records of ERF only. */
#define LINK_ERF 197u
#define ERF_INFINIBAND 21u
#define ERF_BYTES 16u

#define TYPE_VLAN 0x8100u
#define TYPE_IPV4 0x0800u
#define TYPE_IPV6 0x86ddu
#define TYPE_ROCE_V1 0x8915u
#define IPV4_BYTES 20u
#define UDP_BYTES 8u
#define ICRC_BYTES 4u
#define VCRC_BYTES 2u
#define LNH_BTH 2u
#define LNH_GRH 3u
#define BTH_MIGRATED 0x40u
#define HEADERS_MAX 128u

static FILE *file;

/* ---------------------------------------------------------------- the file */

static void
block(uint32_t type, const void *body, uint32_t len, const void *more, uint32_t more_len)
{
	static const uint8_t zeros[4];
	uint32_t pad = -(len + more_len) & 3;
	uint32_t words[2] = { type, 12 + len + more_len + pad };

	fwrite(words, sizeof(words), 1, file);
	fwrite(body, len, 1, file);
	fwrite(more, more_len, 1, file);
	fwrite(zeros, pad, 1, file);
	fwrite(&words[1], sizeof(words[1]), 1, file);
}

int
bfm_capture_open(const struct bfm_model *m, const char *path)
{
	static const uint32_t section[] = { 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX };
	uint32_t i;

	file = fopen(path, "we");
	if (file == NULL)
		return -errno;
	block(BLOCK_SECTION, section, sizeof(section), "", 0);
	for (i = 0; i < m->nb_functions; i++) {
		const struct bfm_conf *conf = &m->functions[i]->conf;
		uint8_t name[4 + BFM_NAME_SIZE + 4 + 4] = { OPTION_NAME };
		uint32_t len = (uint32_t)strlen(conf->name);
		const uint32_t body[] = { conf->ib_port ? LINK_ERF : LINK_ETHERNET, 0 };

		name[2] = (uint8_t)len;
		memcpy(name + 4, conf->name, len);
		/* the end of options is four zeros */
		block(BLOCK_INTERFACE, body, sizeof(body), name, 4 + ((len + 3) & ~3u) + 4);
	}
	return fflush(file) == 0 ? 0 : -errno;
}

void
bfm_capture_close(void)
{
	if (file != NULL)
		fclose(file);
	file = NULL;
}

/* --------------------------------------------------------------- one packet */

static uint32_t
put(uint8_t *p, uint32_t at, uint32_t bytes, uint64_t value)
{
	bfm_bits_set(p + at, 0, bytes * 8, value);
	return at + bytes;
}

/* What is between the transport's header and the link's: none, a GRH, or IP and UDP. */
static uint32_t
network(const struct bfm_packet *pkt, uint32_t payload, uint8_t *p)
{
	uint8_t grh[BFM_GRH_BYTES];
	bool v4 = !pkt->ib && pkt->l3 == BFM_L3_IPV4;
	uint32_t n = v4 ? IPV4_BYTES : BFM_GRH_BYTES;

	if (!pkt->grh)
		return 0;
	bfm_ud_grh(pkt, grh);
	memcpy(p, grh + BFM_GRH_BYTES - n, n);
	if (pkt->ib || pkt->l3 == BFM_L3_GRH)
		return n;
	n = put(p, n, 2, pkt->udp_sport);
	n = put(p, n, 2, pkt->udp_dport);
	n = put(p, n, 2, payload + UDP_BYTES);
	return put(p, n, 2, 0);
}

static uint32_t
transport(const struct bfm_packet *pkt, uint32_t pad, uint8_t *p)
{
	uint32_t n;

	n = put(p, 0, 1, pkt->opcode);
	n = put(p, n, 1, (pkt->solicited ? 0x80u : 0) | BTH_MIGRATED | pad << 4);
	n = put(p, n, 2, pkt->pkey);
	n = put(p, n, 4, pkt->dqpn);
	n = put(p, n, 4, pkt->psn);
	n = put(p, n, 4, pkt->qkey);
	n = put(p, n, 4, pkt->sqpn);
	return pkt->opcode == BFM_PKT_UD_SEND_IMM ? put(p, n, 4, pkt->imm) : n;
}

static uint32_t
link_header(const struct bfm_packet *pkt, uint32_t above, uint8_t *p)
{
	static const uint16_t types[] = {
		[BFM_L3_GRH] = TYPE_ROCE_V1, [BFM_L3_IPV6] = TYPE_IPV6, [BFM_L3_IPV4] = TYPE_IPV4,
	};
	uint32_t n;

	if (pkt->ib) {
		memset(p, 0, ERF_BYTES);
		p[8] = ERF_INFINIBAND;
		n = 8 + above + VCRC_BYTES;
		put(p, 10, 2, ERF_BYTES + n);
		put(p, 14, 2, n);
		n = put(p, ERF_BYTES, 1, 0);
		n = put(p, n, 1, (uint32_t)pkt->sl << 4 | (pkt->grh ? LNH_GRH : LNH_BTH));
		n = put(p, n, 2, pkt->dlid);
		n = put(p, n, 2, (8 + above) / 4);
		return put(p, n, 2, pkt->slid);
	}
	n = put(p, 0, 6, pkt->dmac);
	n = put(p, n, 6, pkt->smac);
	if (pkt->vlan) {
		n = put(p, n, 2, TYPE_VLAN);
		n = put(p, n, 2, pkt->vlan_tag);
	}
	return put(p, n, 2, types[pkt->l3]);
}

void
bfm_capture_packet(const struct bfm_function *f, const struct bfm_msg_pkt *msg)
{
	const struct bfm_packet *pkt = &msg->pkt;
	uint8_t frame[HEADERS_MAX + BFM_MTU_MAX], above[HEADERS_MAX];
	uint32_t pad = -pkt->len & 3, crcs = ICRC_BYTES + (pkt->ib ? VCRC_BYTES : 0);
	uint32_t body[5] = { 0 }, n, nb;
	struct timespec now;
	uint64_t us;

	if (file == NULL)
		return;
	nb = transport(pkt, pad, above);
	n = network(pkt, nb + pkt->len + pad + ICRC_BYTES, frame);
	memmove(above + n, above, nb);
	memcpy(above, frame, n);
	nb += n;
	n = link_header(pkt, nb + pkt->len + pad + ICRC_BYTES, frame);
	memcpy(frame + n, above, nb);
	n += nb;
	memcpy(frame + n, msg->data, pkt->len);
	n += pkt->len;
	memset(frame + n, 0, pad + crcs);
	n += pad + crcs;

	clock_gettime(CLOCK_REALTIME, &now);
	us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	while (f->model->functions[body[0]] != f)
		body[0]++;
	body[1] = (uint32_t)(us >> 32);
	body[2] = (uint32_t)us;
	body[3] = body[4] = n;
	block(BLOCK_PACKET, body, sizeof(body), frame, n);
	if (fflush(file) != 0) {
		bfm_log(f, BFM_WARN, "the capture ends: it cannot be written");
		bfm_capture_close();
	}
}
