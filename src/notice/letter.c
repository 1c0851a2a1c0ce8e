/* SPDX-License-Identifier: Apache-2.0 */
#include "letter.h"

#include <gmime/gmime.h>
#include <string.h>

static void header(GMimeObject *message, const char *name, const char *value)
{
    g_mime_object_append_header(message, name, value, NULL);
}

static void
add_address(GMimeMessage *message, GMimeAddressType type, const char *name, const char *address)
{
    InternetAddress *mailbox = internet_address_mailbox_new(*name ? name : NULL, address);
    internet_address_set_charset(mailbox, "utf-8");
    internet_address_list_add(g_mime_message_get_addresses(message, type), mailbox);
    g_object_unref(mailbox);
}

/* Line breaks and other controls become blanks: no value adds a header. */
static char *one_line(const char *value)
{
    char *text = g_utf8_make_valid(value, -1);
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
    return text;
}

static void set_headers(GMimeMessage *message, const struct notice_letter *l)
{
    GMimeObject *object = GMIME_OBJECT(message);
    const char *at = strrchr(l->from_address, '@');
    char *id = g_strdup_printf("notice.%s@%s", l->notice->id, at ? at + 1 : "localhost");
    char *subject = one_line(l->notice->subject);
    GDateTime *date = g_date_time_new_from_unix_utc(l->notice->at_ms / 1000);
    add_address(message, GMIME_ADDRESS_TYPE_FROM, l->from_name, l->from_address);
    add_address(message, GMIME_ADDRESS_TYPE_TO, "", l->to);
    g_mime_message_set_subject(message, subject, "utf-8");
    g_mime_message_set_date(message, date);
    g_mime_message_set_message_id(message, id);
    header(object, "Auto-Submitted", "auto-generated");
    header(object, "X-Auto-Response-Suppress", "All");
    header(object, "X-Onecase-Notice", l->notice->id);
    header(object, "MIME-Version", "1.0");
    g_date_time_unref(date);
    g_free(subject);
    g_free(id);
}

/* UTF-8 as quoted-printable: no line is longer than 76 octets. */
static GMimePart *part_of(const char *subtype, const char *text)
{
    char *valid = g_utf8_make_valid(text, -1);
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
    return part;
}

static GMimeObject *with_page(GMimePart *text, const struct str *page)
{
    GMimeMultipart *both = g_mime_multipart_new_with_subtype("mixed");
    GMimePart *file = part_of("html", str_z(page));
    g_mime_object_set_disposition(GMIME_OBJECT(file), GMIME_DISPOSITION_ATTACHMENT);
    g_mime_part_set_filename(file, "report.html");
    g_mime_multipart_add(both, GMIME_OBJECT(text));
    g_mime_multipart_add(both, GMIME_OBJECT(file));
    g_object_unref(text);
    g_object_unref(file);
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

enum rc notice_letter_write(const struct notice_letter *letter, struct str *out, struct err *err)
{
    g_mime_init();
    GMimeMessage *message = g_mime_message_new(FALSE);
    GMimePart *text = part_of("plain", letter->notice->text);
    GMimeObject *body =
        letter->notice->page ? with_page(text, letter->notice->page) : GMIME_OBJECT(text);
    set_headers(message, letter);
    g_mime_message_set_mime_part(message, body);
    take_octets(message, out);
    g_object_unref(body);
    g_object_unref(message);
    return out->len > 0 ? RC_OK : FAIL(err, RC_BROKEN, "notice: the letter came out empty");
}
