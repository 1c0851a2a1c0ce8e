/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, which POSIX 2008 does not name */
#include "coroutine.h"

#include <onecase/str.h>

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif

#ifdef UNDER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK_SIZE ((size_t)2 << 20)
#else
#define STACK_SIZE ((size_t)512 << 10)
#endif
#define GUARD_SIZE  ((size_t)64 << 10)
#define KEPT_STACKS 16

struct coroutine {
    ucontext_t inside, outside;
    void (*body)(void *arg);
    void *arg;
    char *memory; /* the guard, then the stack */
    bool ended;
    void *fake_inside, *fake_outside; /* the sanitizer's */
    const void *outside_bottom;
    size_t outside_size;
};

static char *kept[KEPT_STACKS];
static size_t kept_count;

static char *stack_take(void)
{
    if (kept_count > 0)
        return kept[--kept_count];
    char *memory = mmap(NULL, GUARD_SIZE + STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    int guarded = mprotect(memory, GUARD_SIZE, PROT_NONE);
    assert(guarded == 0);
    return memory;
}

static void stack_give(char *memory)
{
#ifdef UNDER_ASAN
    __asan_unpoison_memory_region(memory + GUARD_SIZE, STACK_SIZE);
#endif
    if (kept_count < KEPT_STACKS)
        kept[kept_count++] = memory;
    else
        munmap(memory, GUARD_SIZE + STACK_SIZE);
}

static void before_switch(void **fake, const void *bottom, size_t size)
{
#ifdef UNDER_ASAN
    __sanitizer_start_switch_fiber(fake, bottom, size);
#else
    (void)fake;
    (void)bottom;
    (void)size;
#endif
}

static void after_switch(void *fake, const void **bottom, size_t *size)
{
#ifdef UNDER_ASAN
    __sanitizer_finish_switch_fiber(fake, bottom, size);
#else
    (void)fake;
    (void)bottom;
    (void)size;
#endif
}

static struct coroutine *entering; /* makecontext hands over only ints */

static void first_entry(void)
{
    struct coroutine *co = entering;

    after_switch(NULL, &co->outside_bottom, &co->outside_size);
    co->body(co->arg);
    co->ended = true;
    before_switch(NULL, co->outside_bottom, co->outside_size);
    setcontext(&co->outside);
    abort();
}

struct coroutine *coroutine_new(void (*body)(void *arg), void *arg)
{
    struct coroutine *co = mem_new(1, sizeof *co);

    co->body = body;
    co->arg = arg;
    co->memory = stack_take();
    int made = getcontext(&co->inside);
    assert(made == 0);
    co->inside.uc_stack.ss_sp = co->memory + GUARD_SIZE;
    co->inside.uc_stack.ss_size = STACK_SIZE;
    co->inside.uc_link = NULL;
    makecontext(&co->inside, first_entry, 0);
    return co;
}

void coroutine_free(struct coroutine **co)
{
    if (*co == NULL)
        return;
    stack_give((*co)->memory);
    free(*co);
    *co = NULL;
}

void coroutine_enter(struct coroutine *co)
{
    assert(!co->ended);
    entering = co;
    before_switch(&co->fake_outside, co->memory + GUARD_SIZE, STACK_SIZE);
    int switched = swapcontext(&co->outside, &co->inside);
    assert(switched == 0);
    after_switch(co->fake_outside, NULL, NULL);
}

void coroutine_leave(struct coroutine *co)
{
    before_switch(&co->fake_inside, co->outside_bottom, co->outside_size);
    int switched = swapcontext(&co->inside, &co->outside);
    assert(switched == 0);
    after_switch(co->fake_inside, &co->outside_bottom, &co->outside_size);
}

bool coroutine_ended(const struct coroutine *co)
{
    return co->ended;
}

void coroutine_rest(void)
{
    while (kept_count > 0)
        munmap(kept[--kept_count], GUARD_SIZE + STACK_SIZE);
}
