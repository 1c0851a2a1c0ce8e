# SPDX-License-Identifier: Apache-2.0
#
# cmake -DFILES="0001_a.sql;0002_b.sql" -DOUT=migrations.c -P embed_migrations.cmake
#
# As octets, not as string literals: C17 promises only 4095 characters of those. A gap or a number
# used twice stops the build, since the order of migrations is their number.
#
# A line "-- Works with programs from schema N on." says which older programs may go on after it (src/README.md);
# without it, none.

list(SORT FILES COMPARE FILE_BASENAME)
set(texts "")
set(rows "")
set(version 0)

foreach(file IN LISTS FILES)
  math(EXPR version "${version} + 1")
  get_filename_component(stem ${file} NAME_WE)
  if(NOT stem MATCHES "^0*${version}_([a-z0-9_]+)$")
    message(FATAL_ERROR "migrations: ${file}: expected number ${version}, as NNNN_name.sql")
  endif()
  set(name ${CMAKE_MATCH_1})
  set(oldest ${version})
  file(STRINGS ${file} line REGEX "^-- Works with programs ")
  if(line)
    if(NOT line MATCHES "^-- Works with programs from schema ([1-9][0-9]*) on\\.$" OR NOT CMAKE_MATCH_1 LESS version)
      message(FATAL_ERROR "migrations: ${file}: expected -- Works with programs from schema N on., N below ${version}")
    endif()
    set(oldest ${CMAKE_MATCH_1})
  endif()
  file(READ ${file} octets HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," octets "${octets}")
  string(APPEND texts "static const char sql_${version}[] = {${octets}0};\n")
  string(APPEND rows "    {${version}, \"${name}\", ${oldest}, sql_${version}},\n")
endforeach()

file(WRITE ${OUT} "#include \"migrations.h\"\n\n${texts}
const struct migration migrations[] = {\n${rows}};
const size_t migration_count = ${version};\n")
