# CMake package of omptarget-rs: find_package(omptarget), then target_link_libraries(program PRIVATE omptarget::offload).
#
#   omptarget::offload   bitcode for NVIDIA GPUs, which the virtual GPU runs, too (omptarget.cfg)
#   omptarget::amdgpu    the same for AMD GPUs (omptarget-amdgpu.cfg)
#   omptarget::cuda      machine code for NVIDIA GPUs, unit by unit, and bitcode beside it (omptarget-cuda.cfg)
#   omptarget::lto       machine code of the whole program (omptarget-lto.cfg)
#   omptarget::host      shared objects for the host as a device (omptarget-host.cfg)
#
# A program links one of them. OpenMP on the host comes with each: find_package(OpenMP) is not needed, and does no harm.

get_filename_component(omptarget_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/../../omptarget" ABSOLUTE)
set(omptarget_COMMAND "${omptarget_ROOT_DIR}/bin/omptarget")

foreach(language IN ITEMS C CXX)
  if(NOT CMAKE_${language}_COMPILER_LOADED)
    continue()
  endif()
  if(NOT CMAKE_${language}_COMPILER_ID STREQUAL "Clang" OR CMAKE_${language}_COMPILER_VERSION VERSION_LESS 22)
    set(omptarget_FOUND FALSE)
    set(omptarget_NOT_FOUND_MESSAGE
      "omptarget needs clang 22 or newer, but the ${language} compiler is ${CMAKE_${language}_COMPILER_ID} \
${CMAKE_${language}_COMPILER_VERSION}. Configure with -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22.")
    return()
  endif()
endforeach()

function(omptarget_add_target name file)
  if(TARGET omptarget::${name})
    return()
  endif()
  set(option "--config=${omptarget_ROOT_DIR}/etc/${file}")
  add_library(omptarget::${name} INTERFACE IMPORTED)
  set_target_properties(omptarget::${name} PROPERTIES
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:C,CXX>:${option}>"
    INTERFACE_LINK_OPTIONS "${option}")
endfunction()

omptarget_add_target(offload omptarget.cfg)
omptarget_add_target(amdgpu omptarget-amdgpu.cfg)
omptarget_add_target(cuda omptarget-cuda.cfg)
omptarget_add_target(lto omptarget-lto.cfg)
omptarget_add_target(host omptarget-host.cfg)
