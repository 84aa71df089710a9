// clang has managed variables for HIP alone. Our pass makes them of variables in this section.
#ifndef OMPTARGET_MANAGED_VARIABLES_H
#define OMPTARGET_MANAGED_VARIABLES_H

#undef __managed__
#define __managed__ __attribute__((device, section("omptarget_managed")))

#endif
