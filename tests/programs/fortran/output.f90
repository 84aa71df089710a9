! List-directed output from device code: every type, long lines, arrays, and lines of many threads.
program output
  implicit none
  integer :: k, m(2, 3)
  real :: r(4)
  real(8) :: d
  character(5) :: word
  logical :: flags(2)
  word = 'hello'
  r = [0.01, 1234567.0, -0.5, 3.0e-30]
  d = 1.0d0 / 3
  flags = [.true., .false.]
  m = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  k = 42
  !$omp target map(to: k, m, r, d, word, flags)
  print *
  print *, 'integers', k, -k, int(k, 1), int(-k, 2), int(k, 8) * 100000000000_8, &
    int(k, 16) * 170141183460469231731687303715884_16
  print *, 'reals', r(1), r(2), r(3), r(4), d, d * 1d20, d * 1d-20, 0.0, -0.0, 123456.0, 999999.0, 0.095
  print *, 'logicals', k > 0, k < 0, .true.
  print *, 'complex', cmplx(k, -1), cmplx(d, 2 * d, 8)
  print *, word, 'and', word, 7, 'x', ''
  write (*, *) m, flags, r
  print *, 'a text that is so long that it does not fit into one line of output, so that it is cut in two'
  print *, m * 100000, m * 1000000, m * 10000000, m * 100000000
  print *, cmplx(r, r), cmplx(r, -r)
  print *, [flags, flags, flags, flags, flags, flags, flags, flags, flags, flags, flags, flags, flags, flags, flags, &
    flags, flags, flags, flags, flags, flags]
  print *, huge(k), huge(r), tiny(r), huge(d), tiny(d), epsilon(d)
  !$omp end target
  !$omp target parallel do num_threads(8) ordered
  do k = 1, 8
    !$omp ordered
    print *, 'line', k, 'of 8'
    !$omp end ordered
  end do
end program
