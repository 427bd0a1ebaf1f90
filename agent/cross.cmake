# Toolchain for other processors, with GCC's cross compilers: -DCMAKE_TOOLCHAIN_FILE=agent/cross.cmake -DPROCESSOR=aarch64,
# armv7 or riscv64. For Android take the NDK's own toolchain file.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${PROCESSOR})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PROCESSOR)
if(PROCESSOR STREQUAL armv7)
  set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)
else()
  set(CMAKE_CXX_COMPILER ${PROCESSOR}-linux-gnu-g++)
endif()
