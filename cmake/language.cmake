# SPDX-License-Identifier: Apache-2.0
#
# Sets the dialect and the warnings for everything that is compiled here.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

# assert() stays in every build: it guards our own mistakes, and the ledger makes dying safe.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")

add_compile_definitions(_POSIX_C_SOURCE=200809L)

add_compile_options(
  -Wall -Wextra -Wpedantic
  -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum -Wvla
  -Wformat=2 -Wundef -Wcast-qual -Wwrite-strings
  "SHELL:-include ${CMAKE_SOURCE_DIR}/src/base/banned.h")

if(ONECASE_HARDENED)
  include(CheckPIESupported)
  check_pie_supported()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
    -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    add_compile_options(-fcf-protection)
  endif()
  add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()
add_link_options(LINKER:--as-needed)
