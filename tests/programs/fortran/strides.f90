! Arrays whose elements may lie apart: assumed-shape dummies and pointers, of neighbouring elements and of others.
! flang 22 maps a section with gaps as if it had none, so the program maps the whole arrays.
module strides_module
  implicit none
contains
  ! a(i) = 2 a(i) + b(i), and the sum of both.
  subroutine combine(a, b, total)
    real(8), intent(inout) :: a(:)
    real(4), intent(in) :: b(:)
    real(8), intent(out) :: total
    integer :: i
    total = 0
    !$omp target teams distribute parallel do map(tofrom: a, total) map(to: b) reduction(+: total)
    do i = 1, size(a)
      a(i) = 2 * a(i) + b(i)
      total = total + a(i)
    end do
  end subroutine

  ! The mean of four neighbours, from one array into another.
  subroutine smooth(from, to)
    real(8), intent(in) :: from(0:, 0:)
    real(8), intent(inout) :: to(0:, 0:)
    integer :: i, j, rows, columns
    rows = size(from, 1) - 2
    columns = size(from, 2) - 2
    !$omp target teams distribute parallel do collapse(2) map(to: from) map(tofrom: to)
    do j = 1, columns
      do i = 1, rows
        to(i, j) = 0.25d0 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1))
      end do
    end do
  end subroutine

  ! Sums of columns, which each thread makes by itself.
  subroutine columns(from, sums)
    real(8), intent(in) :: from(:, :)
    real(8), intent(out) :: sums(:)
    real(8) :: s
    integer :: i, j
    !$omp target teams distribute parallel do private(s, i) map(to: from) map(from: sums)
    do j = 1, size(from, 2)
      s = 0
      do i = 1, size(from, 1)
        s = s + from(i, j)
      end do
      sums(j) = s
    end do
  end subroutine
end module

program strides
  use strides_module
  implicit none
  integer, parameter :: n = 1003
  real(8) :: a(n), before(n), total, field(60, 44), smoothed(60, 44), sums(44)
  real(8), target :: t(n)
  real(8), pointer :: p(:)
  real(4) :: b(n)
  integer :: i, j, step, wrong

  wrong = 0
  do step = 1, 3
    a = [(real(i, 8), i = 1, n)]
    b = [(real(mod(i, 7), 4), i = 1, n)]
    before = a
    !$omp target data map(tofrom: a) map(to: b)
    call combine(a(1:n:step), b(1:n:step), total)
    !$omp end target data
    before(1:n:step) = 2 * before(1:n:step) + b(1:n:step)
    if (total /= sum(before(1:n:step)) .or. any(a /= before)) wrong = wrong + 1
    ! Elements of one array follow each other, those of the other do not.
    !$omp target data map(tofrom: a) map(to: b)
    call combine(a(1:(n - 1) / step + 1), b(1:n:step), total)
    !$omp end target data
    before(1:(n - 1) / step + 1) = 2 * before(1:(n - 1) / step + 1) + b(1:n:step)
    if (total /= sum(before(1:(n - 1) / step + 1)) .or. any(a /= before)) wrong = wrong + 1
  end do

  do j = 1, 44
    do i = 1, 60
      field(i, j) = mod(13 * i + 7 * j, 29)
    end do
  end do
  do step = 1, 3
    smoothed = field
    !$omp target data map(to: field) map(tofrom: smoothed)
    call smooth(field(::step, ::2), smoothed(::step, ::2))
    !$omp end target data
    do j = 3, 42, 2
      do i = 1 + step, 60 - step, step
        if (smoothed(i, j) /= 0.25d0 * (field(i - step, j) + field(i + step, j) + field(i, j - 2) + field(i, j + 2))) then
          if (i + step <= 60 .and. j + 2 <= 44) wrong = wrong + 1
        end if
      end do
    end do
    !$omp target data map(to: field)
    call columns(field(step::step, :), sums)
    !$omp end target data
    if (any(sums /= sum(field(step::step, :), 1))) wrong = wrong + 1
  end do

  do step = 1, 2
    t = [(real(i, 8), i = 1, n)]
    p => t(step::step)
    !$omp target data map(tofrom: t)
    !$omp target teams distribute parallel do map(tofrom: p)
    do i = 1, size(p)
      p(i) = p(i) + i
    end do
    !$omp end target data
    do i = 1, n
      if (mod(i, step) == 0) then
        if (t(i) /= i + i / step) wrong = wrong + 1
      else if (t(i) /= i) then
        wrong = wrong + 1
      end if
    end do
  end do

  if (wrong == 0) then
    print '(a)', 'PASS'
  else
    print '(a, i0)', 'FAIL ', wrong
    stop 1
  end if
end program
