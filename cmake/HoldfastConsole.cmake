# The operator's page. What is in console/ becomes a source of the service, byte for byte, so that
# the program is one file. The same file run as a script (cmake -P) writes that source.

if(CMAKE_SCRIPT_MODE_FILE)
  function(embed name files)
    set(bytes "")
    foreach(file IN LISTS files)
      file(READ ${file} hex HEX)
      string(APPEND bytes ${hex})
    endforeach()
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes ${bytes})
    string(REGEX REPLACE "(('....',)('....',)?('....',)?('....',)?('....',)?('....',)?('....',)?('....',)?)" "\\1\n"
      bytes ${bytes})
    set(text "${text}constexpr char ${name}_bytes[] = {\n${bytes}};\n" PARENT_SCOPE)
    set(names ${names} ${name} PARENT_SCOPE)
  endfunction()

  set(text "")
  set(names "")
  embed(console_page "${PAGE}")
  embed(console_style "${STYLE}")
  embed(console_script "${SCRIPT}")
  set(views "")
  foreach(name IN LISTS names)
    string(APPEND views "const std::string_view ${name}(${name}_bytes, sizeof ${name}_bytes);\n")
  endforeach()
  file(WRITE ${OUT} "#include \"http/handlers/console_sources.hpp\"\n\nnamespace holdfast::http {\nnamespace {\n\n"
    "${text}\n}  // namespace\n\n${views}\n}  // namespace holdfast::http\n")
  return()
endif()

set(console_dir ${PROJECT_SOURCE_DIR}/console)
# In the order in which they are put together.
set(console_scripts
  dom service lists actions overview holds groups resources effects commands timeline inbox subscriptions tokens events audit
  evidence views)
list(TRANSFORM console_scripts REPLACE "(.+)" "${console_dir}/\\1.js")
set(console_source ${PROJECT_BINARY_DIR}/generated_console/console_sources.cpp)
add_custom_command(
  OUTPUT ${console_source}
  COMMAND ${CMAKE_COMMAND}
    -D PAGE=${console_dir}/index.html
    -D STYLE=${console_dir}/console.css
    -D "SCRIPT=${console_scripts}"
    -D OUT=${console_source}
    -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${console_dir}/index.html ${console_dir}/console.css ${console_scripts} ${CMAKE_CURRENT_LIST_FILE}
  VERBATIM)
target_sources(holdfast_http PRIVATE ${console_source})
set_source_files_properties(${console_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
