# SPDX-License-Identifier: Apache-2.0
#
# embed_migrations(target file...) compiles the SQL files NNNN_name.sql into `target` as the array
# that src/store/migrations.h declares.

set(migrations_script ${CMAKE_CURRENT_LIST_DIR}/embed_migrations.cmake)

function(embed_migrations target)
  set(array ${CMAKE_BINARY_DIR}/generated/migrations.c)
  add_custom_command(
    OUTPUT ${array}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${ARGN}" -DOUT=${array} -P ${migrations_script}
    DEPENDS ${ARGN} ${migrations_script}
    COMMENT "Embedding migrations"
    VERBATIM)
  target_sources(${target} PRIVATE ${array})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src/store)
endfunction()
