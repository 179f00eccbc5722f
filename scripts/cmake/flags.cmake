# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
# One INTERFACE target carries the language level, the warnings and the sanitizers; every target of ours links it.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release measures; other build types refuse to" FORCE)
endif()

add_library(ninefold_flags INTERFACE)
target_compile_features(ninefold_flags INTERFACE cxx_std_20)
target_compile_options(ninefold_flags INTERFACE -Wall -Wextra -Wpedantic)
target_include_directories(ninefold_flags INTERFACE ${CMAKE_SOURCE_DIR})
if(NINEFOLD_SANITIZE)
  target_compile_options(ninefold_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(ninefold_flags INTERFACE -fsanitize=address,undefined)
endif()

find_program(NINEFOLD_CCACHE ccache)
if(NINEFOLD_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${NINEFOLD_CCACHE})
endif()
