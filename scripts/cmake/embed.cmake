# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
# ninefold_embed(TARGET FILE NAME): a text file becomes `extern const char* const ninefold::NAME` in TARGET, so that a
# document and the program that prints it can't differ.
function(ninefold_embed target file name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  file(READ ${file} text)
  string(LENGTH "${text}" length)
  set(pieces "")
  # A string literal may hold 65,536 characters at least; pieces of 8,000 keep every compiler content.
  foreach(begin RANGE 0 ${length} 8000)
    string(SUBSTRING "${text}" ${begin} 8000 piece)
    string(APPEND pieces "R\"embedded(${piece})embedded\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp @ONLY CONTENT "// Written by CMake from @file@.
namespace ninefold {
extern const char* const @name@;
const char* const @name@ =
@pieces@;
}  // namespace ninefold
")
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
endfunction()
