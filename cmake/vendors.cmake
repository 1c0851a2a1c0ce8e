# SPDX-License-Identifier: Apache-2.0
#
# link_vendor(target name) links one vendor library; `name` is the word used in src/LAYERS.
# A library is looked for only when a folder that uses it exists.

find_package(PkgConfig REQUIRED)

#   word        pkg-config module
set(vendor_openssl  libssl libcrypto)
set(vendor_sqlite3  sqlite3)
set(vendor_curl     libcurl)
set(vendor_yaml     yaml-0.1)
set(vendor_idn2     libidn2)
set(vendor_icu      icu-uc)
set(vendor_gmime    gmime-3.0)
set(vendor_seccomp  libseccomp)
set(vendor_xml2     libxml-2.0)
set(vendor_jansson  jansson)
set(vendor_microhttpd libmicrohttpd)
set(vendor_libarchive libarchive)
set(vendor_pq       libpq)

function(link_vendor target name)
  if(name STREQUAL libetpan)
    # Its pkg-config file carries a specs file that makes executables non-PIE.
    target_link_libraries(${target} PUBLIC etpan)
    return()
  endif()
  foreach(module IN LISTS vendor_${name})
    pkg_check_modules(${module} REQUIRED QUIET IMPORTED_TARGET ${module})
    target_link_libraries(${target} PUBLIC PkgConfig::${module})
  endforeach()
endfunction()
