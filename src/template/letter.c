/* SPDX-License-Identifier: Apache-2.0 */
#include "letter.h"

#include <onecase/identity.h>
#include <onecase/when.h>
#include <gmime/gmime.h>
#include <string.h>

/* A Message-ID longer than this could not stand on one header line (RFC 5322: 998 octets). */
#define REFERRED_MAX 900

void letter_init(void)
{
    g_mime_init();
}

/* Line breaks and other control characters become blanks; octets that are no UTF-8 are replaced. */
static char *one_line(struct slice value)
{
    char *text = g_utf8_make_valid(value.at, (gssize)value.len);
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
    return g_strstrip(text);
}

static void header(GMimeObject *message, const char *name, const char *value)
{
    g_mime_object_append_header(message, name, value, NULL);
}

/* As it stands: the library would write an id anew by its own grammar, which not every sender's keeps
 * to, and an answer that names another id belongs to nothing. */
static void header_as_is(GMimeObject *message, const char *name, struct slice value)
{
    char *raw = g_strdup_printf(" %.*s\n", (int)value.len, value.at);
    header(message, name, "");
    g_mime_header_set_raw_value(
        g_mime_header_list_get_header(g_mime_object_get_header_list(message), name), raw);
    g_free(raw);
}

/* The original's Message-ID is octets of the sender's: only one that is a plain token is repeated. */
static bool can_be_referred_to(struct slice id)
{
    if (id.len == 0 || id.len > REFERRED_MAX)
        return false;
    for (size_t i = 0; i < id.len; i++)
        if (id.at[i] <= ' ' || id.at[i] >= 0x7f)
            return false;
    return true;
}

static void set_subject(GMimeMessage *message, const struct letter_facts *letter)
{
    char *subject = one_line(str_slice(letter->subject));
    g_mime_message_set_subject(message, subject, "utf-8");
    g_free(subject);
}

static void
add_address(GMimeMessage *message, GMimeAddressType type, const char *name, const char *address)
{
    InternetAddress *mailbox = internet_address_mailbox_new(*name ? name : NULL, address);
    internet_address_set_charset(mailbox, "utf-8");
    internet_address_list_add(g_mime_message_get_addresses(message, type), mailbox);
    g_object_unref(mailbox);
}

static void set_addresses(GMimeMessage *message, const struct letter_facts *letter)
{
    char *name = one_line(slice_z(letter->from_name));
    char *to = one_line(slice_z(letter->facts->recipient));
    add_address(message, GMIME_ADDRESS_TYPE_FROM, name, letter->from_address);
    add_address(message, GMIME_ADDRESS_TYPE_TO, "", to);
    g_free(to);
    g_free(name);
}

static void set_date(GMimeMessage *message, int64_t at_ms)
{
    GDateTime *date = g_date_time_new_from_unix_utc(at_ms / 1000);
    g_mime_message_set_date(message, date);
    g_date_time_unref(date);
}

static void set_headers(GMimeMessage *message, const struct letter_facts *letter)
{
    GMimeObject *object = GMIME_OBJECT(message);
    const struct acknowledgement_facts *f = letter->facts;
    header(object, "Message-ID", letter->message_id);
    if (can_be_referred_to(f->in_reply_to)) {
        header_as_is(object, "In-Reply-To", f->in_reply_to);
        header_as_is(object, "References", f->in_reply_to);
    }
    if (letter->language && letter->language[0])
        header(object, "Content-Language", letter->language);
    header(object, "Auto-Submitted", "auto-replied");
    header(object, "X-Auto-Response-Suppress", "All");
    header(object, "X-Onecase-Acknowledgement", f->effect);
    header(object, "X-Onecase-Proof", f->proof);
    header(object, "MIME-Version", "1.0");
}

/* UTF-8 as quoted-printable: plain to read, and no line is longer than 76 octets. */
static GMimeObject *text_part(const struct str *text, const char *subtype)
{
    char *valid = g_utf8_make_valid(str_z(text), (gssize)text->len);
    GMimeStream *stream = g_mime_stream_mem_new_with_buffer(valid, strlen(valid));
    GMimeDataWrapper *content =
        g_mime_data_wrapper_new_with_stream(stream, GMIME_CONTENT_ENCODING_DEFAULT);
    GMimePart *part = g_mime_part_new_with_type("text", subtype);
    g_mime_object_set_content_type_parameter(GMIME_OBJECT(part), "charset", "utf-8");
    g_mime_part_set_content(part, content);
    g_mime_part_set_content_encoding(part, GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE);
    g_object_unref(content);
    g_object_unref(stream);
    g_free(valid);
    return GMIME_OBJECT(part);
}

/* The plain text first: the last is what a reader who can shows (RFC 2046, 5.1.4). The boundary is the
 * letter's own, so that the same facts give the same octets; "=_" stands in no quoted-printable. */
static GMimeObject *alternatives(const struct letter_facts *letter)
{
    GMimeMultipart *both = g_mime_multipart_new_with_subtype("alternative");
    char *boundary = g_strdup_printf("=_%s", letter->facts->effect);
    g_mime_multipart_set_boundary(both, boundary);
    g_free(boundary);
    GMimeObject *part[] = {text_part(letter->text, "plain"), text_part(letter->html, "html")};
    for (size_t i = 0; i < LENGTH(part); i++) {
        g_mime_multipart_add(both, part[i]);
        g_object_unref(part[i]);
    }
    return GMIME_OBJECT(both);
}

static void take_octets(GMimeMessage *message, struct str *out)
{
    GMimeFormatOptions *format = g_mime_format_options_clone(g_mime_format_options_get_default());
    g_mime_format_options_set_newline_format(format, GMIME_NEWLINE_FORMAT_DOS);
    GMimeStream *stream = g_mime_stream_mem_new();
    g_mime_object_write_to_stream(GMIME_OBJECT(message), format, stream);
    GByteArray *bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
    str_empty(out);
    str_add(out, (struct slice){(const char *)bytes->data, bytes->len});
    if (out->len < 2 || memcmp(out->at + out->len - 2, "\r\n", 2) != 0)
        str_addz(out, "\r\n");
    g_object_unref(stream);
    g_mime_format_options_free(format);
}

/* What the transport relies on: CRLF only, no NUL, no line over 998 octets (RFC 5322, 2.1.1). */
static bool lines_hold(const struct str *s)
{
    size_t line = 0;
    for (size_t i = 0; i < s->len; i++) {
        bool crlf = s->at[i] == '\r' && i + 1 < s->len && s->at[i + 1] == '\n';
        if (s->at[i] == '\0' || (s->at[i] == '\r' && !crlf) ||
            (s->at[i] == '\n' && (i == 0 || s->at[i - 1] != '\r')))
            return false;
        line = s->at[i] == '\n' ? 0 : line + 1;
        if (line > 999)
            return false;
    }
    return true;
}

enum rc letter_write(const struct letter_facts *letter, struct str *out, struct err *err)
{
    GMimeMessage *message = g_mime_message_new(FALSE);
    set_date(message, letter->facts->date_ms);
    set_addresses(message, letter);
    set_subject(message, letter);
    set_headers(message, letter);
    GMimeObject *content = letter->html ? alternatives(letter) : text_part(letter->text, "plain");
    g_mime_message_set_mime_part(message, content);
    take_octets(message, out);
    g_object_unref(content);
    g_object_unref(message);
    return lines_hold(out)
               ? RC_OK
               : FAIL(err, RC_REFUSED, "letter: what was written has a line that may not be sent");
}
