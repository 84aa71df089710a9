! Allocatable and assumed-shape arrays, unstructured data, collapsed loops, reductions, of a module in another file.
program main
  use kernels
  use omp_lib
  implicit none
  real(8), allocatable :: x(:), y(:), m(:, :)
  integer :: i, j, n, largest
  real(8) :: s
  logical :: on_host, all_positive

  on_host = .false.
  !$omp target map(from: on_host)
  on_host = omp_is_initial_device()
  !$omp end target
  if (on_host .and. omp_get_num_devices() > 0) stop 'not on the device'

  n = 500
  allocate(x(n), y(n), m(n, 20))
  x = [(real(i, 8), i = 1, n)]
  y = 1
  call axpy(0.5d0, x, y)
  if (any(y /= 1 + 1.5d0 * x * x)) stop 'axpy'

  !$omp target enter data map(alloc: m)
  !$omp target teams distribute parallel do collapse(2)
  do j = 1, 20
    do i = 1, n
      m(i, j) = i * 100 + j
    end do
  end do
  !$omp target update from(m)
  !$omp target exit data map(delete: m)
  if (m(n, 20) /= n * 100 + 20) stop 'update'

  s = 0
  largest = 0
  all_positive = .true.
  !$omp target teams distribute parallel do collapse(2) map(to: m) &
  !$omp   reduction(+: s) reduction(max: largest) reduction(.and.: all_positive)
  do j = 1, 20
    do i = 1, n
      s = s + m(i, j)
      largest = max(largest, mod(i * 7, 1001) + j)
      all_positive = all_positive .and. m(i, j) > 0
    end do
  end do
  if (s /= sum(m) .or. largest /= 1014 .or. .not. all_positive) stop 'reductions'
  print '(a)', 'PASS'
end program
