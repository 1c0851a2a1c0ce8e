# SPDX-License-Identifier: Apache-2.0
#
# What is installed, and the Debian package that cpack makes of it: `cpack --config build/CPackConfig.cmake`.
# tests/package/run holds that package to lintian, and installs, runs and purges it in a Debian of its own.

# Everything carries one date, so that two builds of one state are the same octets.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(package_epoch $ENV{SOURCE_DATE_EPOCH})
else()
  execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    OUTPUT_VARIABLE package_epoch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT package_epoch)
    set(package_epoch 0)
  endif()
endif()
execute_process(COMMAND date -u -R -d @${package_epoch} OUTPUT_VARIABLE PACKAGE_DATE OUTPUT_STRIP_TRAILING_WHITESPACE)

set(ONECASE_PACKAGER "onecase <onecase@localhost.localdomain>" CACHE STRING "Who answers for the package")

set(packaged "")

# add_gzipped(file destination [name]) installs `file`, packed without a date.
function(add_gzipped file destination)
  set(name ${ARGV2})
  if(NOT name)
    get_filename_component(name ${file} NAME)
  endif()
  set(packed ${CMAKE_BINARY_DIR}/installed/${name}.gz)
  add_custom_command(OUTPUT ${packed}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/installed
    COMMAND sh -c "gzip -9nc \"$1\" >\"$2\"" gzip ${file} ${packed}
    DEPENDS ${file} VERBATIM)
  set(packaged ${packaged} ${packed} PARENT_SCOPE)
  install(FILES ${packed} DESTINATION ${destination})
endfunction()

# The program prints its own completions.
function(add_completion shell destination name)
  set(file ${CMAKE_BINARY_DIR}/installed/${name})
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/installed
    COMMAND sh -c "\"$1\" completion \"$2\" >\"$3\"" completion $<TARGET_FILE:onecase> ${shell} ${file}
    DEPENDS onecase VERBATIM)
  set(packaged ${packaged} ${file} PARENT_SCOPE)
  install(FILES ${file} DESTINATION ${destination})
endfunction()

file(GLOB pages CONFIGURE_DEPENDS deploy/man/*.[1-8])
foreach(page IN LISTS pages)
  string(REGEX MATCH "[1-8]$" section ${page})
  add_gzipped(${page} ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
configure_file(deploy/debian/changelog.in ${CMAKE_BINARY_DIR}/generated/changelog @ONLY)
add_gzipped(${CMAKE_BINARY_DIR}/generated/changelog ${CMAKE_INSTALL_DOCDIR})
add_gzipped(${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_INSTALL_DOCDIR} CHANGELOG.md)

add_completion(bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions onecase)
add_completion(zsh ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions _onecase)
add_completion(fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d onecase.fish)
add_custom_target(installed ALL DEPENDS ${packaged})

install(DIRECTORY templates/ DESTINATION ${CMAKE_INSTALL_DATADIR}/onecase/templates)
install(FILES README.md SECURITY.md deploy/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(FILES deploy/debian/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME onecase)
install(DIRECTORY config/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/config)
install(DIRECTORY doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/doc)
install(FILES deploy/deciding.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/deploy)
install(DIRECTORY deploy/monitoring/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/deploy/monitoring)

file(GLOB units CONFIGURE_DEPENDS deploy/systemd/onecase*.service deploy/systemd/onecase*.socket deploy/systemd/onecase*.timer)
install(FILES ${units} DESTINATION lib/systemd/system)
foreach(dropin onecase.service.d onecase-.service.d)
  install(FILES deploy/systemd/hardening.conf DESTINATION lib/systemd/system/${dropin})
endforeach()
install(FILES deploy/systemd/sysusers.conf DESTINATION lib/sysusers.d RENAME onecase.conf)
install(FILES deploy/systemd/tmpfiles.conf DESTINATION lib/tmpfiles.d RENAME onecase.conf)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME onecase)
set(CPACK_PACKAGE_CONTACT "${ONECASE_PACKAGER}")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "one e-mail, one case, one confirmation")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Watches the shared mailboxes of a help desk over IMAP, makes each message
exactly one case, sends its sender exactly one confirmation over SMTP, and
files the message after both were proven. Crashes, repeated deliveries and
lost answers make no second case and no second confirmation.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION mail)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates, init-system-helpers (>= 1.54), systemd")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA deploy/debian/postinst deploy/debian/prerm deploy/debian/postrm)
list(TRANSFORM CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA PREPEND ${CMAKE_SOURCE_DIR}/)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
