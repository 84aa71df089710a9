! Elementary functions of complex numbers, which flang compiles for AMD GPUs.
module computing
  implicit none
contains
  subroutine compute(z, w, r)
    !$omp declare target
    complex(8), intent(in) :: z
    complex, intent(in) :: w
    complex(8), intent(out) :: r(:)
    r = [complex(8) :: exp(z), log(z), sqrt(z), sin(z), cos(z), tan(z), tanh(z), z / (1d0, 2d0), z**3, z**z, &
      exp(w), log(w), sqrt(w), sin(w), cos(w), tan(w), tanh(w), w / (1.0, 2.0), abs(z), abs(w)]
  end subroutine
end module
program complex_numbers
  use computing
  complex(8), parameter :: samples(6) = [(0.3d0, 0.7d0), (-2d0, 1d-3), (-0.6d0, -0.8d0), (0d0, -3d0), (1d0, 1d-9), &
    (4d0, -2d0)]
  complex(8) :: z, r(20), expected(20)
  complex :: w
  integer :: i, j
  real(8) :: limit
  do j = 1, 6
    z = samples(j)
    w = cmplx(z)
    !$omp target map(to: z, w) map(from: r)
    call compute(z, w, r)
    !$omp end target
    call compute(z, w, expected)
    do i = 1, 20
      limit = merge(2d-14, 1d-6, i <= 10 .or. i == 19)
      if (.not. abs(r(i) - expected(i)) <= limit * max(abs(expected(i)), 1d-3)) print *, j, i, r(i), expected(i)
    end do
  end do
  print '(a)', 'PASS'
end program
