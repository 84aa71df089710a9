! Output by a format, which device code has no run-time library for.
program formatted_output
  !$omp target
  print '(i5)', 1
  !$omp end target
end program
