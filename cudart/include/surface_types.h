// The types of surfaces are with those of textures.
#include "texture_types.h"
