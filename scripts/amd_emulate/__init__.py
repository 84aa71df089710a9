"""scripts/amd-emulate: machine code for gfx1100 in the instruction emulator of tinygrad's tests.

A program runs on the virtual GPU, which records launches: kernel, shape, arguments, memory before and after. The same image
becomes a code object; the emulator executes its instructions on the recorded memory; the memory after must be the same.

  command      the command line, and the programs
  recording    a recorded launch
  code_object  a code object: loading, kernel descriptors, metadata
  dispatch     what a GPU does around instructions: arguments, blocks, waves, barriers, memory apertures
  output       the records of `printf`
"""
