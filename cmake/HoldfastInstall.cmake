# Installation and the package that find_package(holdfast) finds.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)
install(TARGETS holdfast holdfast_client holdfast_with_effects EXPORT holdfastTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/holdfast ${PROJECT_BINARY_DIR}/generated/holdfast
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT holdfastTargets NAMESPACE holdfast:: DESTINATION ${package_dir})
if(TARGET holdfast_cli)
  install(TARGETS holdfast_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(cmake/holdfastConfig.cmake.in holdfastConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(holdfastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/holdfastConfig.cmake ${PROJECT_BINARY_DIR}/holdfastConfigVersion.cmake
  DESTINATION ${package_dir})
