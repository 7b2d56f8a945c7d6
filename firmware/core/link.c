#include "link.h"

#include "crc.h"

#define PROTOCOL_VERSION 0x01u

/* Of `waiting`: not a line but a start, which is answered by a status too. */
#define STARTED ((uint8_t)'S')
#define NOBODY 0u

/* Of `length`, beyond any that a line can have. */
#define OUTSIDE 0xFFu /* no ':' has come since the last line */
#define SPOILT 0xFEu  /* this line is unlawful whatever follows */

#define TYPE_DIGITS 1u
#define TOKEN_DIGITS 8u
#define ORDER_DIGITS 4u
#define MS_DIGITS 8u
#define CRC_DIGITS 4u
#define NOT_A_DIGIT 0xFFu
#define ZERO 0x30u
#define NINE 0x39u
#define CAPITAL_A 0x41u
#define CAPITAL_F 0x46u

#define TOKEN_AT TYPE_DIGITS
#define ORDER_AT (TOKEN_AT + TOKEN_DIGITS)
#define MS_AT (ORDER_AT + ORDER_DIGITS)

/* Taps 32, 30, 26, 25: a period of 2^32 - 1, and never zero. */
static uint32_t next_token(uint32_t token) {
  return (token & 1u) != 0u ? (token >> 1) ^ 0xA3000000u : token >> 1;
}

/* A bijection (MurmurHash3's finaliser): starts that follow each other begin far apart, and none as another did. */
static uint32_t first_token(uint32_t boots) {
  uint32_t mixed = boots;
  mixed ^= mixed >> 16;
  mixed *= 0x85EBCA6Bu;
  mixed ^= mixed >> 13;
  mixed *= 0xC2B2AE35u;
  mixed ^= mixed >> 16;
  return mixed != 0u ? mixed : 1u;
}

void link_start(struct link *link, uint32_t boots) {
  uint8_t i;
  for (i = 0u; i < LINK_LINE; i++) {
    link->line[i] = 0u;
  }
  link->token = first_token(boots);
  link->ms = 0u;
  link->order = 0u;
  link->pump_order = 0u;
  link->light_order = 0u;
  link->waiting = STARTED;
  link->stale = 0u;
  link->length = OUTSIDE;
  link->returned = 0u;
}

/* ---- lines in ---- */

static uint8_t digit(uint8_t byte) {
  if (byte >= ZERO && byte <= NINE) {
    return (uint8_t)(byte - ZERO);
  }
  if (byte >= CAPITAL_A && byte <= CAPITAL_F) {
    return (uint8_t)(byte - CAPITAL_A + 10u);
  }
  return NOT_A_DIGIT;
}

static uint8_t has_token(uint8_t type) {
  return type == (uint8_t)'H' || type == (uint8_t)'P' || type == (uint8_t)'L' || type == (uint8_t)'C' ? 1u : 0u;
}

/* From its type to its CRC; 0 of a type that there is not. */
static uint8_t length_of(uint8_t type) {
  switch (type) {
    case 'Q':
    case 'I':
    case 'X':
    case 'p':
    case 'l':
      return TYPE_DIGITS + CRC_DIGITS;
    case 'H':
    case 'C':
      return TYPE_DIGITS + TOKEN_DIGITS + CRC_DIGITS;
    case 'P':
    case 'L':
      return TYPE_DIGITS + TOKEN_DIGITS + ORDER_DIGITS + MS_DIGITS + CRC_DIGITS;
    default:
      return 0u;
  }
}

/* `digits` hexadecimal digits from `from`, which is_lawful has looked at. */
static uint32_t field(const struct link *link, uint8_t from, uint8_t digits) {
  uint32_t value = 0u;
  uint8_t i;
  for (i = 0u; i < digits; i++) {
    value = (value << 4) | ((uint32_t)digit(link->line[from + i]) & 0xFu);
  }
  return value;
}

static uint8_t all_digits(const struct link *link, uint8_t length) {
  uint8_t i;
  for (i = TYPE_DIGITS; i < length; i++) {
    if (digit(link->line[i]) == NOT_A_DIGIT) {
      return 0u;
    }
  }
  return 1u;
}

static uint16_t crc_of(const struct link *link, uint8_t length) {
  uint16_t crc = CRC16_BEGIN;
  uint8_t i;
  for (i = 0u; i < length; i++) {
    crc = crc16(crc, link->line[i]);
  }
  return crc;
}

static uint8_t is_lawful(const struct link *link) {
  const uint8_t length = link->length;
  if (length < TYPE_DIGITS + CRC_DIGITS || length > LINK_LINE) {
    return 0u;
  }
  if (length != length_of(link->line[0]) || all_digits(link, length) == 0u) {
    return 0u;
  }
  return field(link, (uint8_t)(length - CRC_DIGITS), CRC_DIGITS) == crc_of(link, (uint8_t)(length - CRC_DIGITS)) ? 1u
                                                                                                                : 0u;
}

/* A token is used up by being right, whatever the step says to the line. */
static void take_token(struct link *link) {
  const uint32_t wanted = next_token(link->token);
  if (field(link, TOKEN_AT, TOKEN_DIGITS) == wanted) {
    link->token = wanted;
  } else {
    link->stale = 1u;
  }
}

static void take_line(struct link *link) {
  link->waiting = link->line[0];
  link->stale = 0u;
  if (has_token(link->waiting) != 0u) {
    take_token(link);
  }
  if (link->waiting == (uint8_t)'P' || link->waiting == (uint8_t)'L') {
    link->order = (uint16_t)field(link, ORDER_AT, ORDER_DIGITS);
    link->ms = field(link, MS_AT, MS_DIGITS);
  }
}

static uint8_t end_line(struct link *link) {
  const uint8_t lawful = is_lawful(link);
  link->length = OUTSIDE;
  link->returned = 0u;
  if (lawful != 0u) {
    take_line(link);
  }
  return lawful;
}

/* A '\r' is ignored before '\n' alone: whatever follows it otherwise spoils the line. */
static void add(struct link *link, uint8_t byte) {
  if (link->length >= SPOILT) {
    return;
  }
  if (byte == (uint8_t)'\r' && link->returned == 0u) {
    link->returned = 1u;
  } else if (link->returned != 0u || link->length >= LINK_LINE) {
    link->length = SPOILT;
  } else {
    link->line[link->length] = byte;
    link->length++;
  }
}

uint8_t link_receive(struct link *link, uint8_t byte) {
  if (link->waiting != NOBODY) {
    return 0u;
  }
  if (byte == (uint8_t)':') {
    link->length = 0u;
    link->returned = 0u;
    return 0u;
  }
  if (byte == (uint8_t)'\n') {
    return end_line(link);
  }
  add(link, byte);
  return 0u;
}

/* ---- what a step is told ---- */

static void no_events(struct interlock_inputs *in) {
  in->heartbeat = 0u;
  in->pump_request = 0u;
  in->light_request = 0u;
  in->pump_off = 0u;
  in->light_off = 0u;
  in->clear = 0u;
  in->pump_ms = 0u;
  in->light_ms = 0u;
}

static void off_events(uint8_t type, struct interlock_inputs *in) {
  in->pump_off = type == (uint8_t)'X' || type == (uint8_t)'p' ? 1u : 0u;
  in->light_off = type == (uint8_t)'X' || type == (uint8_t)'l' ? 1u : 0u;
}

static void request_events(const struct link *link, struct interlock_inputs *in) {
  in->pump_request = link->waiting == (uint8_t)'P' ? 1u : 0u;
  in->light_request = link->waiting == (uint8_t)'L' ? 1u : 0u;
  if (in->pump_request != 0u) {
    in->pump_ms = link->ms;
  }
  if (in->light_request != 0u) {
    in->light_ms = link->ms;
  }
  in->clear = link->waiting == (uint8_t)'C' ? 1u : 0u;
  in->heartbeat = has_token(link->waiting) != 0u && in->clear == 0u ? 1u : 0u;
}

void link_inputs(struct link *link, struct interlock_inputs *in) {
  no_events(in);
  off_events(link->waiting, in);
  if (link->stale == 0u) {
    request_events(link, in);
  }
}

/* ---- answers out ---- */

static uint8_t put_byte(uint8_t answer[LINK_ANSWER], uint8_t at, uint8_t byte) {
  if (at >= LINK_ANSWER) {
    return at;
  }
  answer[at] = byte;
  return (uint8_t)(at + 1u);
}

static uint8_t put(uint8_t answer[LINK_ANSWER], uint8_t at, uint32_t value, uint8_t digits) {
  uint8_t left;
  for (left = digits; left > 0u; left--) {
    const uint32_t nibble = (value >> (4u * ((uint32_t)left - 1u))) & 0xFu;
    at = put_byte(answer, at, (uint8_t)(nibble < 10u ? nibble + ZERO : nibble - 10u + CAPITAL_A));
  }
  return at;
}

static uint8_t put_end(uint8_t answer[LINK_ANSWER], uint8_t at) {
  uint16_t crc = CRC16_BEGIN;
  uint8_t i;
  for (i = 1u; i < at && i < LINK_ANSWER; i++) {
    crc = crc16(crc, answer[i]);
  }
  at = put(answer, at, crc, CRC_DIGITS);
  return put_byte(answer, at, (uint8_t)'\n');
}

static uint8_t flags(const struct interlock_inputs *in, const struct interlock_outputs *out) {
  uint8_t set = 0u;
  if (out->pump != 0u) {
    set |= 0x01u;
  }
  if (out->light != 0u) {
    set |= 0x02u;
  }
  if (in->pump_live != 0u) {
    set |= 0x04u;
  }
  if (in->light_live != 0u) {
    set |= 0x08u;
  }
  if (in->stop_pressed != 0u) {
    set |= 0x10u;
  }
  return set;
}

static uint8_t put_status(const struct link *link, const struct interlock *interlock, const struct interlock_inputs *in,
                          const struct interlock_outputs *out, uint8_t answer[LINK_ANSWER]) {
  uint8_t at = put_byte(answer, put_byte(answer, 0u, (uint8_t)':'), (uint8_t)'S');
  at = put(answer, at, flags(in, out), 2u);
  at = put(answer, at, interlock_faults(interlock), 4u);
  at = put(answer, at, link->stale != 0u ? (uint32_t)REFUSED_TOKEN : out->refused, 2u);
  at = put(answer, at, link->token, TOKEN_DIGITS);
  at = put(answer, at, link->pump_order, ORDER_DIGITS);
  at = put(answer, at, interlock_pump_on(interlock), MS_DIGITS);
  at = put(answer, at, interlock_pump_live(interlock), MS_DIGITS);
  at = put(answer, at, interlock_pump_rest(interlock), MS_DIGITS);
  at = put(answer, at, interlock_budget_left(interlock), MS_DIGITS);
  at = put(answer, at, link->light_order, ORDER_DIGITS);
  at = put(answer, at, interlock_light_on(interlock), MS_DIGITS);
  return put(answer, at, interlock_light_rest(interlock), MS_DIGITS);
}

static uint8_t put_limits(uint8_t answer[LINK_ANSWER]) {
  uint8_t at = put_byte(answer, put_byte(answer, 0u, (uint8_t)':'), (uint8_t)'V');
  at = put(answer, at, PROTOCOL_VERSION, 2u);
  at = put(answer, at, FIRMWARE_VERSION, 4u);
  at = put(answer, at, MAX_GAP_MS, MS_DIGITS);
  at = put(answer, at, PUMP_CUT_MS, MS_DIGITS);
  at = put(answer, at, PUMP_REST_MS, MS_DIGITS);
  at = put(answer, at, LIGHT_CUT_MS, MS_DIGITS);
  at = put(answer, at, LIGHT_REST_MS, MS_DIGITS);
  at = put(answer, at, PUMP_HEARTBEAT_MS, MS_DIGITS);
  at = put(answer, at, LIGHT_HEARTBEAT_MS, MS_DIGITS);
  at = put(answer, at, FEEDBACK_MS, MS_DIGITS);
  return put(answer, at, BUDGET_MS, MS_DIGITS);
}

static void note_order(struct link *link, const struct interlock_outputs *out) {
  if (link->stale != 0u || out->refused != (uint8_t)REFUSED_NOTHING) {
    return;
  }
  if (link->waiting == (uint8_t)'P') {
    link->pump_order = link->order;
  }
  if (link->waiting == (uint8_t)'L') {
    link->light_order = link->order;
  }
}

uint8_t link_answer(struct link *link, const struct interlock *interlock, const struct interlock_inputs *in,
                    const struct interlock_outputs *out, uint8_t answer[LINK_ANSWER]) {
  uint8_t at;
  if (link->waiting == NOBODY) {
    return 0u;
  }
  note_order(link, out);
  at = link->waiting == (uint8_t)'I' ? put_limits(answer) : put_status(link, interlock, in, out, answer);
  link->waiting = NOBODY;
  link->stale = 0u;
  return put_end(answer, at);
}
