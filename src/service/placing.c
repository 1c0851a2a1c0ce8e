/* SPDX-License-Identifier: Apache-2.0 */
#include "place_p.h"

#include <stdio.h>
#include <string.h>

/* ---- which case it belongs to -------------------------------------------------------------------- */

static const struct work_effect *
effect_with(const struct work_item *item, enum effect_kind kind, const char *target)
{
    for (size_t i = 0; i < item->effects; i++)
        if (item->effect[i].kind == kind && strcmp(item->effect[i].target, target) == 0)
            return &item->effect[i];
    return NULL;
}

static bool is_gone(const struct work_item *maker, const char *destination)
{
    char target[EFFECT_TARGET_SIZE];
    snprintf(target, sizeof target, "%s/removed", destination);
    const struct work_effect *e = effect_with(maker, EFFECT_CASE, target);
    return e && e->status == EFFECT_DONE;
}

/* A case that was made before this destination was, or not at it, or was taken away there, gets nothing
 * there. */
static enum placeable
of_case(const struct work_item *maker, const char *destination, char id[EXTERNAL_ID_SIZE])
{
    const struct work_effect *e = effect_with(maker, EFFECT_CASE, destination);
    if (!e || e->status == EFFECT_SKIPPED || is_gone(maker, destination))
        return PLACE_NEVER;
    if (e->status != EFFECT_DONE)
        return PLACE_LATER;
    text_copy(id, EXTERNAL_ID_SIZE, e->external_id);
    return PLACE_NOW;
}

static enum rc find_case(struct batch *b, const struct job *job, struct placing *p, struct err *err)
{
    const struct ledger *l = b->s->port->ledger;
    const char *destination = b->s->port->destination->name;
    CLEANUP(work_item_clear) struct work_item maker = {0};
    if (job->item.disposition != DISPOSITION_APPEND) {
        p->can = of_case(&job->item, destination, p->id);
        return RC_OK;
    }
    TRY(l->work->load(l->self, job->item.case_key, &maker, err));
    p->can = of_case(&maker, destination, p->id);
    return RC_OK;
}

/* ---- which file ---------------------------------------------------------------------------------- */

static enum rc
read_file(void *ctx, int64_t offset, char *into, size_t room, size_t *got, struct err *err)
{
    const struct placing *p = ctx;
    return p->files->read(p->files->self, p->path, offset, into, room, got, err);
}

/* What is not stored here is not sent on. */
static enum placeable
find_file(struct batch *b, struct job *job, const struct work_effect *e, struct placing *p)
{
    const char *stored = strchr(e->target, '/') + 1;
    const struct work_effect *kept = effect_with(&job->item, EFFECT_ATTACHMENT, stored);
    const struct work_attachment *a = kept ? attachment_planned(job, kept) : NULL;
    if (!a || kept->status == EFFECT_REFUSED || kept->status == EFFECT_SKIPPED) {
        p->why = kept ? kept->reason : "";
        return PLACE_NEVER;
    }
    if (kept->status != EFFECT_DONE)
        return PLACE_LATER;
    blob_path_attachment(job->item.key, stored, p->path);
    p->files = b->s->port->files;
    p->file = (struct case_file){
        .number = a->number,
        .file = a->stored_name,
        .name = slice_z(a->name),
        .type = slice_z(a->type),
        .size = a->size,
        .sha256 = a->sha256,
        .read = read_file,
        .ctx = p,
    };
    p->facts.file = &p->file;
    return PLACE_NOW;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static void
describe(struct batch *b, const struct job *job, const struct work_effect *e, struct placing *p)
{
    const char *destination = b->s->port->destination->name;
    *p = (struct placing){.can = PLACE_NOW, .why = "not-there"};
    p->step = destination_step_of(destination, job->item.disposition, e->kind, e->target);
    acknowledgement_id(job->item.key, e->target, p->effect);
    snprintf(p->correlation, sizeof p->correlation, "%s-%u", b->s->run.id, e->attempts + 1);
    p->facts = (struct case_facts){
        .key = job->item.key,
        .effect = p->effect,
        .correlation = p->correlation,
        .reference = job->item.reference,
        .from = slice_z(job->item.sender),
        .subject = slice_z(job->item.subject),
        .text = slice_z(job->item.text),
        .id = p->id,
    };
}

enum rc placing_fill(struct batch *b,
                     struct job *job,
                     const struct work_effect *e,
                     struct placing *p,
                     struct err *err)
{
    describe(b, job, e, p);
    if (p->step != STEP_CREATE)
        TRY(find_case(b, job, p, err));
    if (p->step == STEP_ATTACH && p->can == PLACE_NOW)
        p->can = find_file(b, job, e, p);
    if (!b->s->port->destination->can[p->step].act) {
        p->can = PLACE_NEVER;
        p->why = "not-configured";
    }
    return RC_OK;
}
