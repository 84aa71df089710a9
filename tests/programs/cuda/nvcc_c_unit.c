/* C that is no C++: `class` is a name. */
int twice(int class) { return 2 * class; }
