/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <ctype.h>
#include <errno.h>
#include <termios.h>
#include <unistd.h>

#define LINE_MAX_OCTETS 2000
#define END_OF_TEXT     0x03 /* ^C */
#define END_OF_FILE     0x04 /* ^D */

/* A pipe's key may be followed by the end of its line, which is not the answer to what is asked next. */
static bool after_key;

static int octet(void)
{
    unsigned char c;
    ssize_t n;
    do
        n = read(STDIN_FILENO, &c, 1);
    while (n < 0 && errno == EINTR);
    return n == 1 ? c : KEY_END;
}

/* One key at once, not a line of them. What was set is put back before anything else happens. */
static int terminal_key(void)
{
    struct termios was, raw;
    if (tcgetattr(STDIN_FILENO, &was) != 0)
        return octet();
    raw = was;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    fflush(stdout); /* what asks is shown once the answer is ours */
    int c = octet();
    tcsetattr(STDIN_FILENO, TCSANOW, &was);
    return c == END_OF_TEXT || c == END_OF_FILE ? KEY_END : c;
}

int key_read(void)
{
    bool terminal = isatty(STDIN_FILENO) == 1;
    int c;
    if (!terminal)
        fflush(stdout);
    do
        c = terminal ? terminal_key() : octet();
    while (c != KEY_END && isspace(c));
    after_key = !terminal;
    if (c != KEY_END)
        printf("%c\n", isprint(c) ? c : '?');
    else
        printf("\n");
    return c;
}

bool line_read(const char *prompt, struct str *out)
{
    int c;
    printf("%s ", prompt);
    fflush(stdout);
    str_empty(out);
    c = octet();
    if (after_key && c == '\n')
        c = octet();
    after_key = false;
    for (; c != KEY_END && c != '\n'; c = octet())
        if (c != '\r' && out->len < LINE_MAX_OCTETS)
            str_addc(out, (char)c);
    if (isatty(STDIN_FILENO) != 1)
        printf("\n");
    return c != KEY_END || out->len > 0;
}
