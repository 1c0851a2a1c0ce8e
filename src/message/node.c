/* SPDX-License-Identifier: Apache-2.0 */
#include "marks.h"
#include "parameters.h"
#include "tree_p.h"

#define TYPE_MAX 127

struct node *tree_add(struct tree *tree, size_t above)
{
    if ((tree->count & (tree->count - 1)) == 0)
        tree->at = mem_grow(tree->at, tree->count > 0 ? 2 * tree->count : 1, sizeof *tree->at);
    tree->at[tree->count] = (struct node){.above = above};
    return &tree->at[tree->count++];
}

static bool is_type(struct slice type)
{
    size_t slash = slice_find(type, '/', 0);

    for (size_t i = 0; i < type.len; i++)
        if (type.at[i] <= ' ' || type.at[i] >= 0x7F)
            return false;
    return type.len <= TYPE_MAX && slash > 0 && slash + 1 < type.len;
}

/* Where a name may stand; in a form's parts "name" is that of a field. */
static void
set_name(struct node *node, const struct parameters *type, const struct parameters *disposition)
{
    const struct {
        const struct parameters *in;
        const char *name;
    } places[] = {
        {disposition, "filename"},
        {type, "name"},
        {type, "filename"},
        {disposition, "name"},
    };
    bool form = slice_eqz(str_slice(&disposition->value), "form-data");

    for (size_t i = 0; i < LENGTH(places) - (form ? 1 : 0) && node->name.len == 0; i++)
        parameters_text(places[i].in, places[i].name, &node->name);
}

/* Adds what of a number's digits can stand in a name. */
static void add_number(const struct parameters *p, const char *name, struct str *out)
{
    CLEANUP(str_clear) struct str value = STR_INIT;

    parameters_text(p, name, &value);
    for (size_t i = 0; i < value.len && i < 9; i++)
        if (value.at[i] >= '0' && value.at[i] <= '9')
            str_addc(out, value.at[i]);
}

/* A piece of a message has no name; this one says which it is: "part 1 of 2.eml". */
static void name_piece(const struct parameters *type, struct str *out)
{
    CLEANUP(str_clear) struct str total = STR_INIT;

    add_number(type, "total", &total);
    str_addz(out, "part ");
    add_number(type, "number", out);
    if (total.len > 0)
        str_addf(out, " of %s", str_z(&total));
    str_addz(out, ".eml");
}

static bool has_value(const struct parameters *p, const char *name, struct slice wanted)
{
    CLEANUP(str_clear) struct str value = STR_INIT;

    return parameters_text(p, name, &value) && slice_eq_nocase(str_slice(&value), wanted);
}

void node_describe(struct node *node,
                   const struct node_fields *raw,
                   const char *usual_type,
                   const struct reader_limits *limits)
{
    struct parameters type = {.value = STR_INIT};
    struct parameters disposition = {.value = STR_INIT};

    parameters_read(raw->type, (size_t)limits->parameters, &type);
    parameters_read(raw->disposition, (size_t)limits->parameters, &disposition);
    if (is_type(str_slice(&type.value)))
        str_add(&node->type, str_slice(&type.value));
    else
        str_addz(&node->type, raw->type.len > 0 ? "text/plain" : usual_type);
    parameters_text(&type, "charset", &node->charset);
    set_name(node, &type, &disposition);
    node->attachment = slice_eqz(str_slice(&disposition.value), "attachment");
    node->marks = marks_of_part(str_slice(&node->type), &type);
    if ((node->marks & SIGN_PIECE) != 0 && node->name.len == 0)
        name_piece(&type, &node->name);
    node->flowed = has_value(&type, "format", SLICE("flowed"));
    node->delete_blank = has_value(&type, "delsp", SLICE("yes"));
    node->transfer = transfer_named(raw->transfer);
    if (parameters_text(&type, "report-type", &node->report_type))
        for (size_t i = 0; i < node->report_type.len; i++)
            if (node->report_type.at[i] >= 'A' && node->report_type.at[i] <= 'Z')
                node->report_type.at[i] = (char)(node->report_type.at[i] - 'A' + 'a');
    parameters_clear(&type);
    parameters_clear(&disposition);
}
