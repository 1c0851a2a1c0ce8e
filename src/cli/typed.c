/* SPDX-License-Identifier: Apache-2.0
 *
 * What is typed at a terminal, shown or not.
 */
#include "cli_p.h"

#include <termios.h>
#include <unistd.h>

bool show_typing(bool shown)
{
    struct termios t;
    if (tcgetattr(STDIN_FILENO, &t) != 0)
        return false;
    t.c_lflag = shown ? t.c_lflag | ECHO : t.c_lflag & ~(tcflag_t)ECHO;
    return tcsetattr(STDIN_FILENO, TCSAFLUSH, &t) == 0;
}

void typed_line(size_t most, struct str *out)
{
    for (int c; (c = getchar()) != EOF && c != '\n' && out->len <= most;)
        str_addc(out, (char)c);
}

void typed_hidden(const char *question, size_t most, struct str *out)
{
    fputs(question, stderr);
    bool hidden = show_typing(false);
    typed_line(most, out);
    if (hidden)
        (void)show_typing(true);
    fputs("\n", stderr);
}
