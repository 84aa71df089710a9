! A kernel cannot end the program in order: it ends with the statement's words.
program error_stop
  integer :: i
  i = 3
  !$omp target map(to: i)
  if (i == 3) error stop 'no solution'
  !$omp end target
end program
