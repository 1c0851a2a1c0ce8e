/* SPDX-License-Identifier: Apache-2.0 */
#include "spec_p.h"

#include "markdown.h"

#include <onecase/acceptance.h>
#include <onecase/backoff.h>
#include <onecase/decision.h>
#include <onecase/policy.h>
#include <onecase/scan.h>
#include <onecase/spec.h>
#include <onecase/webhook.h>

struct word {
    const char *text, *meaning;
};

#define TEXT_PAIR(name, text, meaning)       {text, meaning},
#define SIGN_PAIR(name, bit, meaning)        {#name, meaning},
#define TYPE_PAIR(name, text, type, meaning) {text, meaning},
#define FILED_PAIR(name, bit, text, meaning) {text, meaning},

/* clang-format off */
static const struct word key_sources[]     = {KEY_SOURCE_LIST(TEXT_PAIR)};
static const struct word classes[]         = {DELIVERY_CLASS_LIST(TEXT_PAIR)};
static const struct word conditions[]      = {FILED_LIST(FILED_PAIR)};
static const struct word item_states[]     = {ITEM_STATE_LIST(TEXT_PAIR)};
static const struct word item_events[]     = {ITEM_EVENT_LIST(TEXT_PAIR)};
static const struct word reasons[]         = {REASON_LIST(TEXT_PAIR)};
static const struct word imports[]         = {IMPORT_LIST(TEXT_PAIR)};
static const struct word effect_kinds[]    = {EFFECT_KIND_LIST(TEXT_PAIR)};
static const struct word effect_statuses[] = {EFFECT_STATUS_LIST(TEXT_PAIR)};
static const struct word effect_events[]   = {EFFECT_EVENT_LIST(TEXT_PAIR)};
static const struct word actors[]          = {ACTOR_LIST(TEXT_PAIR)};
static const struct word completions[]     = {COMPLETION_LIST(TEXT_PAIR)};
static const struct word outcomes[]        = {OUTCOME_LIST(TEXT_PAIR)};
static const struct word phases[]          = {ATTEMPT_PHASE_LIST(TEXT_PAIR)};
static const struct word stages[]          = {STAGE_LIST(TEXT_PAIR)};
static const struct word replies[]         = {REPLY_LIST(TEXT_PAIR)};
static const struct word faults[]          = {FAULT_LIST(TEXT_PAIR)};
static const struct word circuit_states[]  = {CIRCUIT_STATE_LIST(TEXT_PAIR)};
static const struct word circuit_events[]  = {CIRCUIT_EVENT_LIST(TEXT_PAIR)};
static const struct word webhook_events[]  = {WEBHOOK_EVENT_LIST(TYPE_PAIR)};
static const struct word post_events[]     = {POST_EVENT_LIST(TEXT_PAIR)};
static const struct word decisions[]       = {DECISION_LIST(TEXT_PAIR)};
static const struct word signs[]           = {SIGN_LIST(SIGN_PAIR)};
static const struct word skips[]           = {SKIP_LIST(TEXT_PAIR)};
static const struct word dmarcs[]          = {DMARC_LIST(TEXT_PAIR)};
static const struct word scans[]           = {SCAN_LIST(TEXT_PAIR)};
static const struct word exceptions[]      = {EXCEPTION_LIST(TEXT_PAIR)};
static const struct word codes[]           = {RC_LIST(TEXT_PAIR)};

#define WORDS_OF(array) array, LENGTH(array), NULL
#define TABLE(function) NULL,  0,             function

/* The page, in order: a list of words, or a table of its own. The number is the contract's section. */
static const struct {
    const char *title;
    const char *first, *second; /* column names of a list */
    const struct word *word;
    size_t count;
    void (*table)(struct str *out, const char *title);
} parts[] = {
    { "Where a key comes from (2)",                     "key_source",  "meaning",           WORDS_OF(key_sources)            },
    { "What an arrival is (3, 8)",                      "class",       "meaning",           WORDS_OF(classes)                },
    { "Mail from before (3)",                           "choice",      "meaning",           WORDS_OF(imports)                },
    { "Dispositions (3.4)",                             NULL,          NULL,                TABLE(spec_dispositions)         },
    { "Conditions of acceptance (3.6)",                 "condition",   "holds when",        WORDS_OF(conditions)             },
    { "Items: states (3)",                              "state",       "meaning",           WORDS_OF(item_states)            },
    { "Items: events (3)",                              "event",       "meaning",           WORDS_OF(item_events)            },
    { "Items: transitions (3)",                         NULL,          NULL,                TABLE(spec_item_transitions)     },
    { "Items: why one waits (3, 4)",                    "reason",      "asked of a person", WORDS_OF(reasons)                },
    { "Effects: kinds (1)",                             "kind",        "target",            WORDS_OF(effect_kinds)           },
    { "Effects: statuses (8)",                          "status",      "meaning",           WORDS_OF(effect_statuses)        },
    { "Effects: events (4)",                            "event",       "meaning",           WORDS_OF(effect_events)          },
    { "Effects: who causes a change (4)",               "actor",       "meaning",           WORDS_OF(actors)                 },
    { "Effects: transitions (4)",                       NULL,          NULL,                TABLE(spec_effect_transitions)   },
    { "What the sender is told (1)",                    "state",       "meaning",           WORDS_OF(completions)            },
    { "Outcomes of a try (1)",                          "outcome",     "meaning",           WORDS_OF(outcomes)               },
    { "Tries: phases (4)",                              "phase",       "meaning",           WORDS_OF(phases)                 },
    { "Tries: transitions (4)",                         NULL,          NULL,                TABLE(spec_attempt_transitions)  },
    { "Whose fault: stage by reply (4)",                NULL,          NULL,                TABLE(spec_fault_grid)           },
    { "Whose fault: what follows (4)",                  "fault",       "what follows",      WORDS_OF(faults)                 },
    { "Whose fault: stages (4)",                        "stage",       "meaning",           WORDS_OF(stages)                 },
    { "Whose fault: replies (4)",                       "reply",       "meaning",           WORDS_OF(replies)                },
    { "Whose fault: each row (4)",                      NULL,          NULL,                TABLE(spec_fault_rows)           },
    { "Servers: what is used when",                     NULL,          NULL,                TABLE(spec_capabilities)         },
    { "Whose fault: the virus scanner (4)",             NULL,          NULL,                TABLE(spec_scan_rows)            },
    { "What a virus scanner says (4)",                  "answer",      "meaning",           WORDS_OF(scans)                  },
    { "Circuits: states (4)",                           "state",       "meaning",           WORDS_OF(circuit_states)         },
    { "Circuits: events (4)",                           "event",       "meaning",           WORDS_OF(circuit_events)         },
    { "Circuits: transitions (4)",                      NULL,          NULL,                TABLE(spec_circuit_transitions)  },
    { "Decisions (4, 8)",                               "decision",    "meaning",           WORDS_OF(decisions)              },
    { "Decisions: what each answers and causes (4, 8)", NULL,          NULL,                TABLE(spec_decisions)            },
    { "Webhooks: what other programs are told of (8)",  "event",       "meaning",           WORDS_OF(webhook_events)         },
    { "Posts to webhooks: events (8)",                  "event",       "meaning",           WORDS_OF(post_events)            },
    { "Posts to webhooks: transitions (8)",             NULL,          NULL,                TABLE(spec_post_transitions)     },
    { "Signs in a header (5)",                          "sign",        "what was seen",     WORDS_OF(signs)                  },
    { "Why an attachment is not taken (6)",             "reason",      "meaning",           WORDS_OF(exceptions)             },
    { "What the own servers say by DMARC (5)",          "dmarc",       "meaning",           WORDS_OF(dmarcs)                 },
    { "Why nobody is told (5)",                         "reason",      "meaning",           WORDS_OF(skips)                  },
    { "Results inside the program",                     "rc",          "what a caller can do", WORDS_OF(codes)               },
};
/* clang-format on */

static void print_words(struct str *out, const struct word *word, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!word[i].text[0] && !word[i].meaning[0])
            continue;
        md_code(out, word[i].text);
        md_cell(out, word[i].meaning);
        md_end(out);
    }
}

void spec_print(struct str *out)
{
    for (size_t i = 0; i < LENGTH(parts); i++) {
        if (i > 0)
            str_addc(out, '\n');
        if (parts[i].table) {
            parts[i].table(out, parts[i].title);
        } else {
            md_head(out, parts[i].title, parts[i].first, parts[i].second, (const char *)NULL);
            print_words(out, parts[i].word, parts[i].count);
        }
    }
}
