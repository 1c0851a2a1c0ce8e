/* SPDX-License-Identifier: Apache-2.0 */
#include "console_p.h"

#include <onecase/log.h>
#include <string.h>

enum flag {
    OPEN = 1 << 0,      /* for whoever asks */
    FREE_FORM = 1 << 1, /* a form without a token: there is no session yet */
};

struct route {
    enum method method;
    const char *path; /* a * is one part of it */
    enum role least;
    unsigned flags;
    void (*visit)(struct visit *v);
};

/* A new page: its row here, its function in a page_*.c, its template, its place in answer.c. */
/* clang-format off */
static const struct route routes[] = {
/*    method       path                              least          flags              answers */
    { METHOD_GET,  "/",                              ROLE_VIEWER,   0,                 page_overview     },
    { METHOD_POST, "/pause",                         ROLE_OPERATOR, 0,                 act_pause         },
    { METHOD_GET,  "/queue",                         ROLE_OPERATOR, 0,                 page_queue        },
    { METHOD_GET,  "/mails",                         ROLE_VIEWER,   0,                 page_items        },
    { METHOD_GET,  "/mails/replay",                  ROLE_OPERATOR, 0,                 page_replays      },
    { METHOD_POST, "/mails/replay",                  ROLE_OPERATOR, 0,                 act_replays       },
    { METHOD_GET,  "/mails/replay/*",                ROLE_OPERATOR, 0,                 page_bulk         },
    { METHOD_POST, "/mails/replay/*",                ROLE_OPERATOR, 0,                 act_bulk          },
    { METHOD_GET,  "/arrivals",                      ROLE_VIEWER,   0,                 page_deliveries   },
    { METHOD_GET,  "/mail/*",                        ROLE_VIEWER,   0,                 page_item         },
    { METHOD_POST, "/mail/*/decide",                 ROLE_OPERATOR, 0,                 act_decide        },
    { METHOD_POST, "/mail/*/replay",                 ROLE_OPERATOR, 0,                 act_replay        },
    { METHOD_GET,  "/mail/*/original",               ROLE_OPERATOR, 0,                 page_original     },
    { METHOD_GET,  "/case/*/file/*",                 ROLE_OPERATOR, 0,                 page_attachment   },
    { METHOD_GET,  "/cases",                         ROLE_OPERATOR, 0,                 page_cases        },
    { METHOD_GET,  "/case/*",                        ROLE_OPERATOR, 0,                 page_case         },
    { METHOD_POST, "/case/*/act",                    ROLE_OPERATOR, 0,                 act_case          },
    { METHOD_GET,  "/not-told",                      ROLE_OPERATOR, 0,                 page_not_told     },
    { METHOD_POST, "/not-told",                      ROLE_OPERATOR, 0,                 act_resend        },
    { METHOD_GET,  "/duplicates",                    ROLE_VIEWER,   0,                 page_report       },
    { METHOD_GET,  "/rules",                         ROLE_OPERATOR, 0,                 page_rules        },
    { METHOD_POST, "/rules/*/remove",                ROLE_OPERATOR, 0,                 act_rule          },
    { METHOD_POST, "/proposals/*/refuse",            ROLE_OPERATOR, 0,                 act_refuse        },
    { METHOD_GET,  "/deployments",                   ROLE_VIEWER,   0,                 page_deployments  },
    { METHOD_GET,  "/audit",                         ROLE_OPERATOR, 0,                 page_audit        },
    { METHOD_GET,  "/health",                        ROLE_VIEWER,   0,                 page_health       },
    { METHOD_GET,  "/webhooks",                      ROLE_VIEWER,   0,                 page_webhooks     },
    { METHOD_POST, "/webhooks",                      ROLE_OPERATOR, 0,                 act_webhooks      },
    { METHOD_GET,  "/waiting/*",                     ROLE_VIEWER,   0,                 page_waiting      },
    { METHOD_GET,  "/sign-in",                       ROLE_VIEWER,   OPEN,              page_sign_in      },
    { METHOD_POST, "/sign-in",                       ROLE_VIEWER,   OPEN | FREE_FORM,  act_sign_in       },
    { METHOD_POST, "/sign-out",                      ROLE_VIEWER,   0,                 act_sign_out      },
    { METHOD_GET,  "/style.css",                     ROLE_VIEWER,   OPEN,              page_style        },
    { METHOD_GET,  "/console.js",                    ROLE_VIEWER,   OPEN,              page_script       },
    { METHOD_GET,  "/icon.svg",                      ROLE_VIEWER,   OPEN,              page_icon         },
    { METHOD_GET,  "/healthz",                       ROLE_VIEWER,   OPEN,              page_healthz      },
    { METHOD_GET,  "/metrics",                       ROLE_VIEWER,   OPEN,              page_metrics      },
    { METHOD_GET,  "/api/v1/openapi.yaml",           ROLE_VIEWER,   OPEN,              api_description   },
    { METHOD_GET,  "/api/v1/items",                  ROLE_OPERATOR, 0,                 api_items         },
    { METHOD_GET,  "/api/v1/items/*",                ROLE_OPERATOR, 0,                 api_item          },
    { METHOD_POST, "/api/v1/items/*/decisions",      ROLE_OPERATOR, 0,                 api_decide        },
    { METHOD_GET,  "/api/v1/deliveries",             ROLE_VIEWER,   0,                 api_deliveries    },
    { METHOD_GET,  "/api/v1/cases",                  ROLE_OPERATOR, 0,                 api_cases         },
    { METHOD_GET,  "/api/v1/cases/*",                ROLE_OPERATOR, 0,                 api_case          },
    { METHOD_GET,  "/api/v1/deployments",            ROLE_VIEWER,   0,                 api_deployments   },
    { METHOD_GET,  "/api/v1/webhooks",               ROLE_VIEWER,   0,                 api_webhooks      },
    { METHOD_GET,  "/api/v1/replays",                ROLE_OPERATOR, 0,                 api_replays       },
    { METHOD_POST, "/api/v1/replays",                ROLE_OPERATOR, 0,                 api_begin_replay  },
    { METHOD_GET,  "/api/v1/replays/*",              ROLE_OPERATOR, 0,                 api_one_replay    },
    { METHOD_POST, "/api/v1/replays/*",              ROLE_OPERATOR, 0,                 api_go_on_with_replay },
    { METHOD_GET,  "/api/v1/replay-plan",            ROLE_OPERATOR, 0,                 api_replay_plan   },
    { METHOD_GET,  "/api/v1/status",                 ROLE_VIEWER,   0,                 api_status        },
    { METHOD_GET,  "/api/v1/reports/duplicates",     ROLE_VIEWER,   0,                 api_duplicates    },
};
/* clang-format on */

/* Does the path match? The parts that stand for a * are copied. */
static bool matches(const char *pattern, const char *path, struct visit *v)
{
    size_t args = 0;
    while (*pattern && *path) {
        if (*pattern != '*') {
            if (*pattern++ != *path++)
                return false;
            continue;
        }
        size_t n = strcspn(path, "/");
        if (n == 0 || n >= sizeof v->room[0] || args == LENGTH(v->arg))
            return false;
        memcpy(v->room[args], path, n);
        v->room[args][n] = '\0';
        v->arg[args] = v->room[args];
        args++;
        path += n;
        pattern++;
    }
    return !*pattern && !*path;
}

static const struct route *find(struct visit *v, bool *other_method)
{
    *other_method = false;
    for (size_t i = 0; i < LENGTH(routes); i++) {
        if (!matches(routes[i].path, v->request->path, v))
            continue;
        if (routes[i].method == v->request->method)
            return &routes[i];
        *other_method = true;
    }
    return NULL;
}

/* Who is not signed in is asked to, and comes back to the page that was asked for. */
static void ask_to_sign_in(struct visit *v)
{
    CLEANUP(str_clear) struct str next = STR_INIT;
    if (strncmp(v->request->path, "/api/", 5) == 0 || v->by_token) {
        refuse(v, 401, "No token", "Send a token that is known: Authorization: Bearer TOKEN.");
        return;
    }
    if (v->request->method == METHOD_GET && strcmp(v->request->path, "/") != 0)
        url_add(&next, v->request->path);
    redirect(v, "/sign-in%s%s", next.len ? "?next=" : "", str_z(&next));
}

static void not_for(struct visit *v, const struct route *r)
{
    char text[200];
    snprintf(text, sizeof text, "This is for the role %s and those above; you are %s.",
             role_text(r->least), role_text(v->account.role));
    refuse(v, 403, "Not for your role", text);
}

static bool form_refused(const struct visit *v, const struct route *r)
{
    return r->method == METHOD_POST && !(r->flags & FREE_FORM) && !v->by_token && !form_is_ours(v);
}

/* A session of a browser is for pages, and an interface's call from one would need no token. */
static bool wrong_kind(const struct visit *v, const struct route *r)
{
    return v->by_token && r->method == METHOD_POST && strncmp(r->path, "/api/", 5) != 0;
}

static void go(struct visit *v)
{
    bool other_method;
    const struct route *r = find(v, &other_method);
    v->route = r ? r->path : "";
    if (!r && other_method)
        refuse(v, 405, "Not in this way", "That address takes another method.");
    else if (!r)
        refuse(v, 404, "There is no such page", "Choose one of those above.");
    else if (!(r->flags & OPEN) && !v->account.name[0])
        ask_to_sign_in(v);
    else if (!(r->flags & OPEN) && !may(v, r->least))
        not_for(v, r);
    else if (form_refused(v, r) || wrong_kind(v, r))
        refuse(v, 403, "That form cannot be taken",
               "It came from another page, or you signed in anew since. Nothing was changed: go "
               "back, load the page again, and send it once more.");
    else
        r->visit(v);
}

void console_answer(struct console *console,
                    const struct request *request,
                    struct response *response)
{
    struct visit v = {.console = console,
                      .ops = console->ops,
                      .request = request,
                      .response = response,
                      .now = clock_now(console->settings->clock),
                      .page = fields_new()};
    response->status = 200;
    know_visitor(&v);
    go(&v);
    fields_free(&v.page);
}
