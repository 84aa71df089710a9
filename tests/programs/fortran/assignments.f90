! Assignments that flang leaves to its run-time library: allocation, broadcast, overlap, derived types, constructors.
module assigning
  implicit none
  type point
    integer :: tag
    real :: at(2)
  end type
  type holder
    integer :: tag
    real, allocatable :: values(:)
  end type
  type nest
    type(holder) :: inner(2)
  end type
contains
  subroutine work(n, given, failures)
    !$omp declare target
    integer, intent(in) :: n
    real, intent(inout) :: given(:)
    integer, intent(inout) :: failures
    real, allocatable :: a(:), b(:), c(:, :)
    type(point), allocatable :: points(:)
    type(holder) :: one, other
    type(nest) :: deep, copy
    character(:), allocatable :: text
    character(6) :: fixed
    real, pointer :: p(:)
    integer :: stat, i
    allocate(a(n), stat=stat)
    if (stat /= 0) failures = failures + 1
    a = 2
    b = a + given(1:n)
    if (size(b) /= n .or. any(b /= 2 + given(1:n))) failures = failures + 10
    b = [1.0, 2.0, 3.0]
    if (size(b) /= 3 .or. b(3) /= 3) failures = failures + 100
    given(2:n) = given(1:n - 1)
    if (given(n) /= n - 1) failures = failures + 1000
    allocate(c(0:1, 2), source=reshape([1.0, 2.0, 3.0, 4.0], [2, 2]))
    c = matmul(c, transpose(c))
    if (c(lbound(c, 1), 1) /= 10 .or. sum(c) /= 58) failures = failures + 10000
    call move_alloc(a, b)
    if (allocated(a) .or. size(b) /= n) failures = failures + 100000
    allocate(points(2))
    points(1) = point(1, b(1:2))
    points(2) = points(1)
    points = [points, point(7, [5.0, 6.0])]
    if (size(points) /= 3 .or. points(3)%tag /= 7 .or. points(2)%at(2) /= 2) failures = failures + 1000000
    one%tag = 3
    allocate(one%values(2))
    one%values = [4.0, 5.0]
    other = one
    one%values = 0
    other = other
    if (other%tag /= 3 .or. any(other%values /= [4.0, 5.0])) failures = failures + 10000000
    deep%inner(2) = other
    copy = deep
    deep%inner(2)%values(1) = 9
    if (copy%inner(2)%values(1) /= 4 .or. allocated(copy%inner(1)%values)) failures = failures + 100000000
    text = 'ab' // achar(iachar('b') + 1)
    fixed = text
    text = text // fixed
    if (len(text) /= 9 .or. fixed /= 'abc   ' .or. text /= 'abcabc') failures = failures + 7
    allocate(p(3))
    p = [(real(i), i = 1, 3)]
    if (sum(p) /= 6) failures = failures + 70
    deallocate(p)
    b = [b, (real(i), i = 1, n)]
    if (size(b) /= 2 * n .or. b(2 * n) /= n) failures = failures + 700
    deallocate(b, stat=stat)
    if (stat /= 0 .or. allocated(b)) failures = failures + 7000
    deallocate(b, stat=stat)
    if (stat == 0) failures = failures + 70000
  end subroutine
end module
program assignments
  use assigning
  integer :: failures, i
  real :: given(8)
  real, allocatable :: mapped(:)
  failures = 0
  given = [(real(i), i = 1, 8)]
  allocate(mapped(8))
  mapped = 0
  !$omp target map(tofrom: given, failures)
  call work(8, given, failures)
  !$omp end target
  if (failures /= 0) print *, failures
  !$omp target map(tofrom: mapped) map(to: given)
  mapped = given * 2
  mapped = cshift(mapped, 1)
  !$omp end target
  if (any(mapped /= cshift(given * 2, 1))) stop 'mapped'
  if (failures == 0) print '(a)', 'PASS'
end program
