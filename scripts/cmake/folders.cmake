# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
# A folder of C++ is a library, and each x_test.cpp in it a test: a new file needs no edit here or elsewhere.

# ninefold_folder(NAME LINK target...): library ninefold_NAME of this folder's .cpp files (an INTERFACE library where
# there are none), and a test for each *_test.cpp, linked with the library.
function(ninefold_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;TEST_LINK")
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB tests CONFIGURE_DEPENDS *_test.cpp)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  if(sources)
    add_library(ninefold_${name} STATIC ${sources})
    target_link_libraries(ninefold_${name} PUBLIC ninefold_flags ${arg_LINK})
  else()
    add_library(ninefold_${name} INTERFACE)
    target_link_libraries(ninefold_${name} INTERFACE ninefold_flags ${arg_LINK})
  endif()
  ninefold_tests(${tests} LINK ninefold_${name} ${arg_TEST_LINK})
endfunction()

# ninefold_tests(x_test.cpp... LINK target...): one program and one ctest entry a file.
function(ninefold_tests)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "LINK")
  if(NOT BUILD_TESTING)
    return()
  endif()
  foreach(test IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(GET test STEM test_name)
    add_executable(${test_name} ${test})
    target_link_libraries(${test_name} PRIVATE ${arg_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_definitions(${test_name} PRIVATE NINEFOLD_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/testdata")
    add_test(NAME ${test_name} COMMAND ${test_name})
    set_tests_properties(${test_name} PROPERTIES TIMEOUT 300)
  endforeach()
endfunction()
