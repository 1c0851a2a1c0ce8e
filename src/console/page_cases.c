/* SPDX-License-Identifier: Apache-2.0 */
#include "console_p.h"

#include <onecase/blobs.h>

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define PAGE_ROWS 50

/* ---- the list, and what is found in it ------------------------------------------------------------------ */

static void put_case_row(struct visit *v, const struct view_case *c)
{
    struct fields *row = put_row(v->page, "cases");
    put(row, "reference", c->reference);
    put(row, "from", c->from);
    put(row, "subject", c->subject[0] ? c->subject : "(no subject)");
    put(row, "mailbox", c->mailbox);
    put(row, "state", label("state", c->state));
    put_flag(row, "closed", strcmp(c->state, "closed") == 0);
    put_number(row, "messages", c->messages);
    put_when(row, "made", c->created_ms, v->now.wall_ms);
}

static const char *one_of(const char *value, const char *a, const char *b)
{
    return strcmp(value, a) == 0 || strcmp(value, b) == 0 ? value : NULL;
}

static void search_path(const char *text, const char *state, struct str *out)
{
    str_addz(out, "/cases?q=");
    url_add(out, text);
    if (state)
        str_addf(out, "&state=%s", state);
}

static enum rc cases(struct visit *v, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str path = STR_INIT;
    const struct views *views = v->ops->views;
    const struct form *query = &v->request->query;
    struct view_page page = {.limit = PAGE_ROWS + 1,
                             .text = form_get(query, "q"),
                             .state = one_of(form_get(query, "state"), "open", "closed")};
    (void)page_after(v, &page);
    TRY(views->case_page(views->self, &page, &view, err));
    const struct view_case *c = view.row;
    size_t shown = view.count > PAGE_ROWS ? PAGE_ROWS : view.count;
    for (size_t i = 0; i < shown; i++)
        put_case_row(v, &c[i]);
    put(v->page, "q", page.text);
    put_flag(v->page, "open_only", page.state && strcmp(page.state, "open") == 0);
    put_flag(v->page, "closed_only", page.state && strcmp(page.state, "closed") == 0);
    put_flag(v->page, "empty", shown == 0);
    put_flag(v->page, "searched", page.text[0] || page.state);
    search_path(page.text, page.state, &path);
    if (shown > 0)
        put_paging(v, str_z(&path), c[shown - 1].created_ms, c[shown - 1].key,
                   view.count > PAGE_ROWS);
    return RC_OK;
}

/* Who types a reference wants that case. */
static bool is_reference(struct visit *v)
{
    char reference[REFERENCE_SIZE];
    size_t at = 0;
    struct slice typed = slice_trim(slice_z(form_get(&v->request->query, "q")));
    if (!reference_find(v->ops->config->reference_prefix, typed, &at, reference))
        return false;
    redirect(v, "/case/%s", reference);
    return true;
}

void page_cases(struct visit *v)
{
    struct err err = ERR_INIT;
    if (is_reference(v) || !looked(v, "cases", ""))
        return;
    if (cases(v, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "cases", "Cases");
}

/* ---- a case -------------------------------------------------------------------------------------------------- */

static void put_size(struct fields *f, int64_t size)
{
    if (size < 1024)
        put_format(f, "size", "%" PRId64 " octets", size);
    else if (size < INT64_C(1024) * 1024)
        put_format(f, "size", "%" PRId64 " KB", size / 1024);
    else
        put_format(f, "size", "%" PRId64 " MB", size / (INT64_C(1024) * 1024));
}

static void put_messages(struct visit *v, const struct view_case *c)
{
    for (size_t i = 0; i < c->message_count; i++) {
        const struct view_message *m = &c->message[i];
        struct fields *row = put_row(v->page, "messages");
        char room[16];
        text_copy(room, 13, m->key);
        put_flag(row, "came", strcmp(m->direction, "in") == 0);
        put(row, "from", m->from);
        put(row, "reply_to", strcmp(m->reply_to, m->from) == 0 ? "" : m->reply_to);
        put(row, "subject", m->subject);
        put(row, "text", m->text);
        put(row, "name", room);
        put_when(row, "date", m->date_ms, v->now.wall_ms);
    }
}

static void put_files(struct visit *v, const struct view_case *c)
{
    for (size_t i = 0; i < c->attachments; i++) {
        const struct view_attachment *a = &c->attachment[i];
        struct fields *row = put_row(v->page, "files");
        put(row, "file_name", a->name && a->name[0] ? a->name : "(no name)");
        put(row, "type", a->type);
        put_size(row, a->size);
        put_number(row, "number", (int64_t)i + 1);
        put_flag(row, "stored", a->path && a->path[0]);
        put(row, "status", label("attachment", a->status));
        put(row, "why", label("note", a->reason));
    }
}

static void put_case(struct visit *v, const struct view_case *c)
{
    put(v->page, "reference", c->reference);
    put(v->page, "subject", c->subject[0] ? c->subject : "(no subject)");
    put(v->page, "from", c->from);
    put(v->page, "mailbox", c->mailbox);
    put(v->page, "state", label("state", c->state));
    put(v->page, "merged_into", c->merged_into);
    put_flag(v->page, "is_open", strcmp(c->state, "open") == 0);
    put_flag(v->page, "can_withdraw", config_act_there(v->ops->config, false) != NULL);
    put_when(v->page, "made", c->created_ms, v->now.wall_ms);
    put(v->page, "typed_reason", form_get(&v->request->form, "reason"));
    put(v->page, "typed_into", form_get(&v->request->form, "into"));
    put_messages(v, c);
    put_files(v, c);
}

/* The others of the same words under other identifiers. */
static enum rc put_suspects(struct visit *v, const char *key, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    TRY(views->suspects(views->self, key, &view, err));
    const struct view_suspect *s = view.row;
    put_flag(v->page, "any_suspect", view.count > 1);
    for (size_t i = 0; i < view.count; i++) {
        if (strcmp(s[i].key, key) == 0)
            continue;
        struct fields *row = put_row(v->page, "suspects");
        put(row, "other", s[i].reference);
        put(row, "from", s[i].from);
        put(row, "subject", s[i].subject);
        put(row, "state", label("state", s[i].state));
        put_when(row, "made", s[i].created_ms, v->now.wall_ms);
    }
    return RC_OK;
}

static enum rc find_case(struct visit *v, struct view *view, struct err *err)
{
    const struct views *views = v->ops->views;
    return views->one_case(views->self, v->arg[0], view, err);
}

static void case_page(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    struct err err = ERR_INIT;
    char title[64];
    if (find_case(v, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    const struct view_case *c = view.row;
    snprintf(title, sizeof title, "Case %s", c->reference);
    if (!looked(v, "case", c->key))
        return;
    put_case(v, c);
    if (put_suspects(v, c->key, &err) != RC_OK)
        refuse_err(v, &err);
    else
        show(v, "case", title);
}

void page_case(struct visit *v)
{
    put(v->page, "said", notice_of(form_get(&v->request->query, "said")));
    case_page(v);
}

/* ---- what a person does with it ----------------------------------------------------------------------------- */

/* clang-format off */
static const struct { const char *word; enum case_act act; } acts[] = {
    { "close",         CASE_CLOSE         }, { "reopen",    CASE_REOPEN    }, { "merge",   CASE_MERGE },
    { "authoritative", CASE_AUTHORITATIVE }, { "different", CASE_DIFFERENT }, { "unmerge", CASE_UNMERGE },
    { "withdraw",      CASE_WITHDRAW      },
};
/* clang-format on */

static bool act_of(const char *word, enum case_act *out)
{
    for (size_t i = 0; i < LENGTH(acts); i++)
        if (strcmp(acts[i].word, word) == 0) {
            *out = acts[i].act;
            return true;
        }
    return false;
}

static bool tells_closed(const struct visit *v, const char *mailbox)
{
    const struct config_mailbox *m = config_find_mailbox(v->ops->config, mailbox);
    return m && m->acknowledgement.enabled && m->acknowledgement.templates[COMPLETION_CLOSED][0];
}

static enum rc act(struct visit *v, enum case_act which, struct err *err)
{
    CLEANUP(view_clear) struct view view = {0};
    CLEANUP(str_clear) struct str by = STR_INIT;
    const struct ledger *l = v->ops->ledger;
    const struct form *form = &v->request->form;
    char into[REFERENCE_SIZE] = "";
    size_t at = 0;
    struct case_result result;
    TRY(find_case(v, &view, err));
    const struct view_case *c = view.row;
    (void)reference_find(v->ops->config->reference_prefix, slice_z(form_get(form, "into")), &at,
                         into);
    if (which == CASE_MERGE && !into[0])
        return FAIL(err, RC_USAGE, "Say into which case: its reference.");
    decider_name(v, &by);
    const struct case_request request = {.act = which,
                                         .reference = c->reference,
                                         .into = into[0] ? into : NULL,
                                         .second = "",
                                         .tells = tells_closed(v, c->mailbox),
                                         .there =
                                             config_act_there(v->ops->config, which == CASE_CLOSE),
                                         .by = str_z(&by),
                                         .why = form_get(form, "reason")};
    return l->operators->case_act(l->self, &request, v->now, &result, err);
}

static void again(struct visit *v, unsigned status, const char *problem)
{
    v->response->status = status;
    put(v->page, "problem", problem);
    case_page(v);
}

void act_case(struct visit *v)
{
    const struct form *form = &v->request->form;
    enum case_act which;
    struct err err = ERR_INIT;
    if (!act_of(form_get(form, "act"), &which))
        again(v, 400, "Choose what to do.");
    else if (v->ops->config->approval == CONFIG_TWO_PERSON)
        again(v, 409,
              "Where two persons are asked for, this is proposed and approved at the terminal: "
              "onecase case REFERENCE.");
    else if (slice_trim(slice_z(form_get(form, "reason"))).len == 0)
        again(v, 400,
              "Say why, in a few words: it is recorded with your name. Nothing was changed.");
    else if (act(v, which, &err) != RC_OK)
        again(v, err.rc == RC_USAGE ? 400 : 409, err.text);
    else
        redirect(v, "/case/%s?said=recorded", v->arg[0]);
}

/* ---- files: given as they came, never shown ------------------------------------------------------------------ */

/* The name as RFC 6266 and 5987 have it; the path is the ledger's own. */
static void give_file(struct visit *v, const char *path, const char *name)
{
    struct response *r = v->response;
    struct err err = ERR_INIT;
    enum rc rc = v->ops->open_stored(v->ops->self, path, &r->file, &err);
    if (rc != RC_OK) {
        r->file = -1;
        refuse(v,
               rc == RC_NOT_FOUND  ? 404
               : rc == RC_DEFERRED ? 503
                                   : 500,
               rc == RC_NOT_FOUND ? "The file is not there" : "The file cannot be had now",
               rc == RC_NOT_FOUND ? "'onecase verify' says what else is missing."
                                  : "'onecase doctor' says why.");
        return;
    }
    r->type = "application/octet-stream";
    str_addz(&r->file_name, "attachment; filename*=UTF-8''");
    url_add(&r->file_name, name);
}

void page_original(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct views *views = v->ops->views;
    char path[BLOB_PATH_SIZE], name[80], room[16];
    struct err err = ERR_INIT;
    if (views->item(views->self, v->arg[0], &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    const struct view_item *i = view.row;
    if (!looked(v, "original", i->key))
        return;
    blob_path_original(i->key, path);
    snprintf(name, sizeof name, "%s.eml", item_name(i, room));
    give_file(v, path, name);
}

void page_attachment(struct visit *v)
{
    CLEANUP(view_clear) struct view view = {0};
    struct err err = ERR_INIT;
    int64_t number = number_of(v->arg[1], 0);
    if (find_case(v, &view, &err) != RC_OK) {
        refuse_err(v, &err);
        return;
    }
    const struct view_case *c = view.row;
    if (number < 1 || number > (int64_t)c->attachments || !c->attachment[number - 1].path[0]) {
        refuse(v, 404, "There is no such file", "The case's page lists what was stored.");
        return;
    }
    const struct view_attachment *a = &c->attachment[number - 1];
    if (looked(v, "attachment", c->key))
        give_file(v, a->path, a->name && a->name[0] ? a->name : "attachment");
}
