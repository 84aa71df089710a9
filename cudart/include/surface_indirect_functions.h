// Accesses of surfaces are with fetches from textures.
#include "texture_indirect_functions.h"
