# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
# Technique folders are found, compiled as object libraries (a static archive would drop what nobody names) and listed in
# a table that CMake writes. Adding or deleting a folder edits no file. A folder whose name begins with _ is built and
# tested like the others, but stands in no program's table.

# ninefold_technique(): the one line in each technique's CMakeLists.txt. The folder NAME exports
# `Technique NAME_technique()`, without the leading _ of a template.
function(ninefold_technique)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB tests CONFIGURE_DEPENDS *_test.cpp)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  add_library(technique_${folder} OBJECT ${sources})
  target_link_libraries(technique_${folder} PUBLIC ninefold_training)
  foreach(test IN LISTS tests)
    ninefold_tests(${test} LINK technique_${folder} $<TARGET_OBJECTS:technique_${folder}>)
  endforeach()
endfunction()

# ninefold_technique_table(TARGET folder...): library TARGET with the objects of these folders and `techniques()`.
function(ninefold_technique_table target)
  set(declarations "")
  set(entries "")
  set(objects "")
  foreach(folder IN LISTS ARGN)
    string(REGEX REPLACE "^_" "" name ${folder})
    string(APPEND declarations "Technique ${name}_technique();\n")
    string(APPEND entries "      ${name}_technique(),\n")
    list(APPEND objects $<TARGET_OBJECTS:technique_${folder}>)
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp @ONLY CONTENT "// Written by CMake: the folders under techniques/.
#include \"harness/technique.hpp\"

namespace ninefold {

@declarations@
const std::vector<Technique>& techniques() {
  static const std::vector<Technique> all = {
@entries@  };
  return all;
}

}  // namespace ninefold
")
  add_library(${target} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  target_link_libraries(${target} PUBLIC ninefold_training)
  target_sources(${target} INTERFACE ${objects} $<TARGET_OBJECTS:${target}>)
endfunction()
