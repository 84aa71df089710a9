"""scripts/gpu-check: makes a bundle of programs here, and measures with it on a machine that has a GPU.

The machine has Python 3, a driver of NVIDIA's or AMD's and perhaps its maker's compiler, and nothing else: no clang, no
Rust, no network. So this package uses Python's standard library only, and the bundle carries it.

  command     the command line
  bundle      --build: compiles the programs and lays them out with what they need
  catalogue   which programs there are
  machine     what the machine has: GPU, driver, tools
  maker       what every maker of GPUs has; makers lists nvidia and amd
  cuda, hsa   their drivers, as far as looking goes
  running     running a program within a time limit
  steps       what is run, step by step
  goals       what the figures must be
  report      the JSON file and the Markdown table
"""
