# SPDX-License-Identifier: Apache-2.0
#
# Makes oc_<folder> of each folder of src/ that src/LAYERS lists, linked with the folders whose
# shared headers it may include and with its vendor libraries, and `onecase` of src/app.
#
# For each folder, headers_<folder> compiles every one of its headers, and every shared header it
# owns, alone; the target `headers` is all of them.

set(layer_folders "")
add_custom_target(headers)

# Reads src/LAYERS into layer_folders and layer_<folder>_{owns,includes,uses}; the rows of one
# folder add up.
function(read_layers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/LAYERS)
  file(GLOB headers CONFIGURE_DEPENDS include/onecase/*.h)    # a new one configures anew
  file(STRINGS src/LAYERS rows REGEX "^[a-z]+(/[a-z_]+\\.c)? *\\|")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE " *\\| *" ";" cells "${row}")
    list(POP_FRONT cells folder owns includes uses)
    string(REGEX REPLACE "/.*" "" folder ${folder})    # what one file may use is linked with all
    list(APPEND layer_folders ${folder})
    foreach(column owns includes uses)
      separate_arguments(words UNIX_COMMAND "${${column}}")
      list(REMOVE_ITEM words -)    # a dash stands for none
      list(APPEND layer_${folder}_${column} ${words})
      set(layer_${folder}_${column} ${layer_${folder}_${column}} PARENT_SCOPE)
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES layer_folders)
  set(layer_folders ${layer_folders} PARENT_SCOPE)
endfunction()

# Sets `out` to the folders, other than `folder`, that own a header which `folder` may include.
function(layers_below folder out)
  set(below "")
  foreach(other IN LISTS layer_folders)
    set(wanted "@${other}" everything ${layer_${other}_owns})
    foreach(word IN LISTS layer_${folder}_includes)
      if(word IN_LIST wanted AND NOT other STREQUAL folder)
        list(APPEND below ${other})
        break()
      endif()
    endforeach()
  endforeach()
  set(${out} ${below} PARENT_SCOPE)
endfunction()

# Where it was built says nothing of what was built: two builds in two folders are the same octets. Tests find the
# tree by it, so it is for layers alone; and for what is packaged, as who looks for a fault wants the place.
function(layer_without_place target)
  if(ONECASE_HARDENED)
    target_compile_options(${target} PRIVATE
      -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=built)
  endif()
endfunction()

function(layer_links target folder)
  layers_below(${folder} below)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/include)
  foreach(other IN LISTS below)
    if(TARGET oc_${other})
      target_link_libraries(${target} PUBLIC oc_${other})
    endif()
  endforeach()
  foreach(word IN LISTS layer_${folder}_uses)
    link_vendor(${target} ${word})
  endforeach()
endfunction()

function(add_header_check folder)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} src/${folder}/*.h)
  foreach(name IN LISTS layer_${folder}_owns)
    if(EXISTS ${CMAKE_SOURCE_DIR}/include/onecase/${name}.h)
      list(APPEND headers include/onecase/${name}.h)
    endif()
  endforeach()
  set(units "")
  foreach(header IN LISTS headers)
    set(unit ${CMAKE_BINARY_DIR}/headers/${header}.c)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${CMAKE_SOURCE_DIR}/${header}\"\n")
    list(APPEND units ${unit})
  endforeach()
  if(units)
    add_library(headers_${folder} OBJECT EXCLUDE_FROM_ALL ${units})
    layer_links(headers_${folder} ${folder})
    add_dependencies(headers headers_${folder})
  endif()
endfunction()

function(add_layer folder)
  file(GLOB sources CONFIGURE_DEPENDS src/${folder}/*.c)
  file(GLOB migrations CONFIGURE_DEPENDS src/${folder}/sql/[0-9]*.sql)
  if(sources AND folder STREQUAL app)
    add_executable(onecase ${sources})
    layer_without_place(onecase)
    layer_links(onecase app)
    install(TARGETS onecase)
  elseif(sources)
    add_library(oc_${folder} STATIC ${sources})
    layer_without_place(oc_${folder})
  endif()
  if(TARGET oc_${folder} AND migrations)
    embed_migrations(oc_${folder} ${migrations})
  endif()
  add_header_check(${folder})
endfunction()

# Targets first, links after: a row may name a folder that stands below it in the table.
macro(add_layers)
  read_layers()
  foreach(folder IN LISTS layer_folders)
    if(NOT folder STREQUAL app)
      add_layer(${folder})
    endif()
  endforeach()
  foreach(folder IN LISTS layer_folders)
    if(TARGET oc_${folder})
      layer_links(oc_${folder} ${folder})
    endif()
  endforeach()
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/app/main.c)
    add_layer(app)
  endif()
endmacro()
