/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#include <string.h>

/* The first word of a pattern, unless the row before begins with the same. */
static int first_word(size_t row)
{
    const char *p = commands[row].pattern;
    size_t n = strcspn(p, " ");
    bool again = row > 0 && strncmp(commands[row - 1].pattern, p, n) == 0 &&
                 (commands[row - 1].pattern[n] == ' ' || !commands[row - 1].pattern[n]);
    return again ? 0 : (int)n;
}

/* A word of a pattern without its brackets. */
static struct slice bare(struct slice word)
{
    while (word.len > 0 && word.at[0] == '[')
        word = slice_cut(word, 1, word.len);
    while (word.len > 0 && word.at[word.len - 1] == ']')
        word.len--;
    return word;
}

/* Each option, and each word that stands for itself; values are the operator's. */
static void print_words(const char *pattern)
{
    struct slice rest = slice_z(pattern), word;
    while (rest.len > 0 && slice_next(&rest, ' ', &word)) {
        word = bare(word);
        if (word.len == 0 || (word.at[0] >= 'A' && word.at[0] <= 'Z'))
            continue;
        for (size_t i = 0; i < word.len; i++)
            putchar(word.at[i] == '|' ? ' ' : word.at[i]);
        putchar(' ');
    }
}

/* What may follow a first word, of all commands that begin with it. */
static void print_following(size_t row)
{
    int n = first_word(row);
    for (size_t i = row; i < command_count; i++)
        if (strncmp(commands[i].pattern, commands[row].pattern, (size_t)n) == 0 &&
            (commands[i].pattern[n] == ' ' || !commands[i].pattern[n]))
            print_words(commands[i].pattern + n);
}

static void bash(void)
{
    printf("_onecase()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} at=1 words=\n"
           "    [ \"${COMP_WORDS[1]}\" != -c ] || at=3\n"
           "    if [ \"$COMP_CWORD\" -lt \"$at\" ]; then\n"
           "        COMPREPLY=($(compgen -f -- \"$word\"))\n        return\n    fi\n"
           "    if [ \"$COMP_CWORD\" = \"$at\" ]; then\n        words=\"");
    for (size_t i = 0; i < command_count; i++)
        if (first_word(i))
            printf("%.*s ", first_word(i), commands[i].pattern);
    printf("\"\n    else\n        case ${COMP_WORDS[at]} in\n");
    for (size_t i = 0; i < command_count; i++) {
        if (!first_word(i))
            continue;
        printf("        %.*s) words=\"", first_word(i), commands[i].pattern);
        print_following(i);
        printf("\" ;;\n");
    }
    printf("        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
           "complete -o default -F _onecase onecase\n");
}

/* Inside '...' of a shell. */
static void print_quoted(const char *text, const char *quote)
{
    for (; *text; text++)
        if (*text == '\'')
            printf("%s", quote);
        else
            putchar(*text);
}

static void zsh(void)
{
    printf("#compdef onecase\n_onecase()\n{\n    local -a commands offers\n    commands=(\n");
    for (size_t i = 0; i < command_count; i++) {
        if (!first_word(i))
            continue;
        printf("        '%.*s:", first_word(i), commands[i].pattern);
        print_quoted(commands[i].summary, "'\\''");
        printf("'\n");
    }
    printf("    )\n    local at=2\n    [[ $words[2] = -c ]] && at=4\n"
           "    if (( CURRENT < at )); then\n        _files\n        return\n    fi\n"
           "    if (( CURRENT == at )); then\n        _describe command commands\n"
           "        return\n    fi\n    case $words[at] in\n");
    for (size_t i = 0; i < command_count; i++) {
        if (!first_word(i))
            continue;
        printf("    %.*s) offers=(", first_word(i), commands[i].pattern);
        print_following(i);
        printf(") ;;\n");
    }
    printf("    esac\n    compadd -- $offers || _files\n}\n"
           "if [[ $funcstack[1] = _onecase ]]; then\n    _onecase \"$@\"\nelse\n"
           "    compdef _onecase onecase\nfi\n");
}

static void fish(void)
{
    printf("complete -c onecase -s c -r -d 'the configuration file'\n");
    for (size_t i = 0; i < command_count; i++) {
        if (!first_word(i))
            continue;
        printf("complete -c onecase -n __fish_use_subcommand -f -a %.*s -d '", first_word(i),
               commands[i].pattern);
        print_quoted(commands[i].summary, "\\'");
        printf("'\ncomplete -c onecase -n '__fish_seen_subcommand_from %.*s' -a '", first_word(i),
               commands[i].pattern);
        print_following(i);
        printf("'\n");
    }
}

int cmd_completion(struct call *call)
{
    /* clang-format off */
    static const struct { const char *shell; void (*print)(void); } shells[] = {
        { "bash", bash }, { "zsh", zsh }, { "fish", fish },
    };
    /* clang-format on */
    const char *shell = args_get(&call->args, "bash|zsh|fish");
    for (size_t i = 0; i < LENGTH(shells); i++)
        if (strcmp(shells[i].shell, shell) == 0)
            shells[i].print();
    return EXIT_DONE;
}
