# ctest reads this before it runs anything, once for each folder of tests, and gets an entry for each suite:
# <folder>.<Suite>. A suite runs in one process, since starting one takes longer than most tests do. What runs
# on every store, the suites `on/<Suite>`, has an entry for each store: <folder>.on/<Suite>/<store>.
#
# Set by whoever includes this: folder, program, environment, fixtures.

cmake_policy(VERSION 3.25)
if(NOT EXISTS ${program})
  add_test(${folder}.not_built ${program})
  return()
endif()
execute_process(COMMAND ${program} --gtest_list_tests
  OUTPUT_VARIABLE listed RESULT_VARIABLE failed TIMEOUT 60)
if(failed)
  message(FATAL_ERROR "${program} cannot list its tests: ${failed}\n${listed}")
endif()

# "Suite." and below it its tests, "  test" or "  test/parameter  # GetParam() = …", which may hold anything.
string(REGEX REPLACE " *#[^\n]*" "" listed "${listed}")
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
set(entries "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.$")
    set(suite ${CMAKE_MATCH_1})
  elseif(line MATCHES "^  ([^ ]+)$")
    set(entry ${suite})
    set(filter "${suite}.*")
    if(suite MATCHES "^on/" AND line MATCHES "/([^/]+)$")
      set(entry ${suite}/${CMAKE_MATCH_1})
      set(filter "${suite}.*/${CMAKE_MATCH_1}")
    endif()
    if(NOT entry IN_LIST entries)
      list(APPEND entries ${entry})
      set(filter_of_${entry} ${filter})
      set(tests_in_${entry} 0)
    endif()
    math(EXPR tests_in_${entry} "${tests_in_${entry}} + 1")
  endif()
endforeach()

foreach(entry IN LISTS entries)
  add_test(${folder}.${entry} ${program} --gtest_filter=${filter_of_${entry}})
  set_tests_properties(${folder}.${entry} PROPERTIES
    LABELS ${folder}
    TIMEOUT 600
    COST ${tests_in_${entry}}  # long ones first, or one of them runs alone in the end
    ENVIRONMENT "${environment}"
    FIXTURES_REQUIRED "${fixtures}"
    # Skipped as a whole; that some of its tests were is in the log.
    SKIP_REGULAR_EXPRESSION "\\[  PASSED  \\] 0 tests\\.\n\\[  SKIPPED \\] [^\n]*\n(\\[  SKIPPED \\][^\n]*\n)*$")
endforeach()
