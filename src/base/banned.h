/* SPDX-License-Identifier: Apache-2.0
 *
 * banned - functions of the C library that nobody here may call.
 *
 * Included before every file by the build. Declaring them deprecated, ahead of the library's own
 * headers, turns each use into an error whatever the file then includes; the headers themselves
 * must not be included here, or a file could no longer choose its feature macros.
 *
 * Without bounds: strcpy strcat sprintf vsprintf, and strncpy strncat, which seem to have them.
 * Hidden state:   strtok gmtime localtime ctime asctime.
 * No errors:      atoi atol atoll atof.
 */
#pragma once

#include <stdarg.h>

#define BANNED(instead) __attribute__((deprecated("banned: use " instead)))

struct tm;

char *strcpy(char *, const char *) BANNED("str_add");
char *strcat(char *, const char *) BANNED("str_add");
char *strncpy(char *, const char *, __SIZE_TYPE__) BANNED("str_add");
char *strncat(char *, const char *, __SIZE_TYPE__) BANNED("str_add");
int sprintf(char *, const char *, ...) BANNED("str_addf");
int vsprintf(char *, const char *, va_list) BANNED("str_addf");
char *strtok(char *, const char *) BANNED("slice_next");
struct tm *gmtime(const long *) BANNED("when_text");
struct tm *localtime(const long *) BANNED("localtime_r, where a zone is shown to a person");
char *ctime(const long *) BANNED("when_text");
char *asctime(const struct tm *) BANNED("when_text");
int atoi(const char *) BANNED("strtol");
long atol(const char *) BANNED("strtol");
long long atoll(const char *) BANNED("strtol");
double atof(const char *) BANNED("strtod");

#undef BANNED
