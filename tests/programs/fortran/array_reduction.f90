! flang 22 makes wrong code for this on GPUs.
program array_reduction
  implicit none
  integer :: i, counts(4)
  counts = 0
  !$omp target teams distribute parallel do reduction(+: counts)
  do i = 1, 1000
    counts(mod(i, 4) + 1) = counts(mod(i, 4) + 1) + 1
  end do
  print *, counts
end program
