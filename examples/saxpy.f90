! saxpy: the smallest useful program, in Fortran.
!
!   dist/bin/omptarget fc -O2 examples/saxpy.f90 -o saxpy && ./saxpy

program saxpy
  implicit none
  integer, parameter :: n = 1000000
  real, allocatable :: x(:), y(:)
  integer :: i

  allocate(x(n), y(n))
  x = [(mod(i, 100), i = 1, n)]
  y = 1

  !$omp target teams distribute parallel do map(to: x) map(tofrom: y)
  do i = 1, n
    y(i) = y(i) + 2 * x(i)
  end do

  if (any(y /= 1 + 2 * x)) then
    print '(a)', 'FAIL'
    stop 1
  end if
  print '(a)', 'PASS'
end program
