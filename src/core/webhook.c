/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <onecase/digest.h>
#include <onecase/webhook.h>

#define ANY NULL

static bool is_case(const struct webhook_line *l)
{
    return strcmp(l->arrived_as, disposition_text(DISPOSITION_CASE)) == 0;
}

static bool is_conflict(const struct webhook_line *l)
{
    return strcmp(l->key_source, "conflict") == 0;
}

static bool has_moved(const struct webhook_line *l)
{
    return strcmp(l->from, l->to) != 0;
}

/* clang-format off */
static const struct {
    enum webhook_event event;
    const char *subject; /* its first word */
    const char *what, *to;
    bool (*also)(const struct webhook_line *line);
} rules[] = {
/*    event              subject     what           to                       and */
    { WEBHOOK_CREATED,   "item",     "reserve",     ANY,                     is_case     },
    { WEBHOOK_CREATED,   "case",     "make",        ANY,                     NULL        },
    { WEBHOOK_COMPLETE,  "item",     "complete",    "complete",              NULL        },
    { WEBHOOK_DUPLICATE, "delivery", "redelivered", "duplicate",             NULL        },
    { WEBHOOK_DUPLICATE, "delivery", "list_copy",   "duplicate",             NULL        },
    { WEBHOOK_DUPLICATE, "delivery", "gateway_copy","duplicate",             NULL        },
    { WEBHOOK_CONFLICT,  "item",     "reserve",     ANY,                     is_conflict },
    { WEBHOOK_ASKS,      "item",     ANY,           "needs_reconciliation",  has_moved   },
    { WEBHOOK_CLOSED,    "case",     ANY,           "closed",                has_moved   },
};

const struct post_transition post_transitions[] = {
/*    from              on                to                because */
    { EFFECT_PLANNED,   POST_ON_TAKEN,    EFFECT_DONE,      "it is its receiver's now"                  },
    { EFFECT_PLANNED,   POST_ON_LATER,    EFFECT_DEFERRED,  "it may be taken later, under the same id"  },
    { EFFECT_PLANNED,   POST_ON_GIVE_UP,  EFFECT_REFUSED,   "a dead letter: shown until a person acts"  },
    { EFFECT_PLANNED,   POST_ON_REMOVED,  EFFECT_REFUSED,   "nobody is there to be told"                },
    { EFFECT_DEFERRED,  POST_ON_TAKEN,    EFFECT_DONE,      "it is its receiver's now"                  },
    { EFFECT_DEFERRED,  POST_ON_LATER,    EFFECT_DEFERRED,  "it may be taken later, under the same id"  },
    { EFFECT_DEFERRED,  POST_ON_GIVE_UP,  EFFECT_REFUSED,   "a dead letter: shown until a person acts"  },
    { EFFECT_DEFERRED,  POST_ON_REMOVED,  EFFECT_REFUSED,   "nobody is there to be told"                },
    { EFFECT_REFUSED,   POST_ON_REPLAY,   EFFECT_PLANNED,   "a person wants it tried again"             },
};
/* clang-format on */
const size_t post_transition_count = LENGTH(post_transitions);

WORDS(webhook_words, WEBHOOK_EVENT_LIST);
DEFINE_TEXT(webhook_event_text, webhook_event, webhook_words)
DEFINE_PARSE(webhook_event_parse, webhook_event, webhook_words)
WORDS(post_words, POST_EVENT_LIST);
DEFINE_TEXT(post_event_text, post_event, post_words)

#define TYPE_ROW(name, text, type, meaning) type,
static const char *const types[] = {WEBHOOK_EVENT_LIST(TYPE_ROW)};
DEFINE_TEXT(webhook_event_type, webhook_event, types)

#define MEANING_ROW(name, text, type, meaning) meaning,
static const char *const meanings[] = {WEBHOOK_EVENT_LIST(MEANING_ROW)};
DEFINE_TEXT(webhook_event_meaning, webhook_event, meanings)

static bool first_word_is(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == ' ' || text[length] == '\0');
}

static bool fits(const char *wanted, const char *is)
{
    return wanted == ANY || strcmp(wanted, is) == 0;
}

unsigned webhook_events_of(const struct webhook_line *line)
{
    unsigned events = 0;
    for (size_t i = 0; i < LENGTH(rules); i++)
        if (first_word_is(line->subject, rules[i].subject) && fits(rules[i].what, line->what) &&
            fits(rules[i].to, line->to) && (rules[i].also == NULL || rules[i].also(line)))
            events |= 1u << rules[i].event;
    return events;
}

enum rc
post_step(enum effect_status from, enum post_event on, enum effect_status *out, struct err *err)
{
    for (size_t i = 0; i < post_transition_count; i++)
        if (post_transitions[i].from == from && post_transitions[i].on == on) {
            *out = post_transitions[i].to;
            return RC_OK;
        }
    return FAIL(err, RC_CONFLICT, "webhook: a post that is %s is not stepped by '%s'",
                effect_status_text(from), post_event_text(on));
}

void webhook_id(const char *webhook,
                const char *hash,
                enum webhook_event event,
                char out[WEBHOOK_ID_SIZE])
{
    CLEANUP(str_clear) struct str text = STR_INIT;
    char hex[DIGEST_HEX_SIZE];
    str_addf(&text, "%s\n%s\n%s", webhook, hash, webhook_event_text(event));
    const struct digest digest = sha256_of(str_slice(&text));
    digest_hex(&digest, hex);
    hex[32] = '\0';
    text_copy(out, WEBHOOK_ID_SIZE, "msg_");
    text_copy(out + 4, WEBHOOK_ID_SIZE - 4, hex);
}
