! Array expressions and intrinsic procedures in device code, derived types, a loop construct.
program arrays
  implicit none
  integer, parameter :: n = 16
  type point
    real :: x, y
    integer :: tag(4)
  end type
  type holder
    real, allocatable :: values(:)
  end type
  real(8) :: a(n, n), b(n, n), c(n, n), v(n), largest, m
  integer :: i, j, place
  type(point) :: p(100)
  type(holder) :: h
  real :: x(256)

  do j = 1, n
    do i = 1, n
      a(i, j) = i + j
      b(i, j) = merge(1, 0, i == j)
    end do
  end do
  !$omp target map(to: a, b) map(from: c, v, largest, place)
  c = a + 2 * b
  v = a(:, 3)
  largest = maxval(a)
  place = maxloc(v, 1)
  !$omp end target
  if (any(c /= a + 2 * b) .or. any(v /= a(:, 3))) stop 'expressions'
  if (largest /= 2 * n .or. place /= n) stop 'maxval, maxloc'

  !$omp target map(to: a, b) map(from: c)
  c = matmul(a, b)
  !$omp end target
  if (any(c /= a)) stop 'matmul'

  !$omp target teams distribute parallel do map(to: a) map(from: v) private(m)
  do i = 1, n
    m = dot_product(a(:, i), a(i, :))
    v(i) = m + sqrt(m) + sin(m) + mod(i, 3) + min(i, 5) + nint(2.6d0)
  end do
  do i = 1, n
    m = dot_product(a(:, i), a(i, :))
    if (abs(v(i) - (m + sqrt(m) + sin(m) + mod(i, 3) + min(i, 5) + 3)) > 1d-9) stop 'mathematics'
  end do

  do i = 1, 100
    p(i) = point(i, -i, i)
  end do
  !$omp target teams distribute parallel do map(tofrom: p)
  do i = 1, 100
    p(i)%x = p(i)%x + p(i)%y + sum(p(i)%tag)
  end do
  if (any(p%x /= [(4 * i, i = 1, 100)])) stop 'derived types'

  allocate(h%values(10))
  h%values = 1
  !$omp target map(tofrom: h%values)
  do i = 1, 10
    h%values(i) = h%values(i) + i
  end do
  !$omp end target
  if (any(h%values /= [(1 + i, i = 1, 10)])) stop 'components'

  !$omp target teams loop map(from: x)
  do i = 1, 256
    x(i) = real(i)**2
  end do
  if (any(x /= [(real(i)**2, i = 1, 256)])) stop 'loop'
  print '(a)', 'PASS'
end program
