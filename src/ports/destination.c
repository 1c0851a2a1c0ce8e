/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/destination.h>

#include <string.h>

#define TEXT_OF(name, text, meaning)    [name] = text,
#define MEANING_OF(name, text, meaning) [name] = meaning,

const char *destination_step_text(enum destination_step step)
{
    static const char *const texts[] = {DESTINATION_STEP_LIST(TEXT_OF)};
    return texts[step];
}

const char *destination_step_meaning(enum destination_step step)
{
    static const char *const meanings[] = {DESTINATION_STEP_LIST(MEANING_OF)};
    return meanings[step];
}

const char *destination_step_back(enum destination_step step)
{
    static const char *const texts[STEP_COUNT] = {
        [STEP_CREATE] = "a person can take it back, with 'case --withdraw'; when a later step fails"
                        " it stands, and that step is tried again",
        [STEP_APPEND] = "cannot be taken back; when a later step fails it stands, and that step is"
                        " tried again",
        [STEP_ATTACH] = "is taken back with its case only; when the destination refuses it, that is"
                        " an exception, and all else goes on",
        [STEP_CLOSE] = "is taken back here alone, with 'case --reopen'; it is tried again until it"
                       " is done",
        [STEP_REMOVE] = "cannot be taken back; it is tried again until it is done",
    };
    return texts[step];
}

enum destination_step destination_step_of(const char *destination,
                                          enum disposition disposition,
                                          enum effect_kind kind,
                                          const char *target)
{
    size_t length = strlen(destination);
    const char *rest = target + length;
    if (strncmp(target, destination, length) != 0)
        return STEP_COUNT;
    if (kind == EFFECT_ATTACHMENT)
        return rest[0] == '/' ? STEP_ATTACH : STEP_COUNT;
    if (kind != EFFECT_CASE)
        return STEP_COUNT;
    if (rest[0] == '\0')
        return disposition == DISPOSITION_APPEND ? STEP_APPEND : STEP_CREATE;
    if (strncmp(rest, "/closed", sizeof "/closed" - 1) == 0) /* and /closed-2, the second time */
        return STEP_CLOSE;
    return strcmp(rest, "/removed") == 0 ? STEP_REMOVE : STEP_COUNT;
}
