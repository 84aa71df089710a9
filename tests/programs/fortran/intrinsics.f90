! Intrinsic procedures that flang leaves to its run-time library, mostly at -O0. Host and device must agree.
module computing
  implicit none
contains
  subroutine arrays(a, k, l, r)
    !$omp declare target
    real(8), intent(in) :: a(:, :)
    integer, intent(in) :: k(:)
    logical, intent(in) :: l(:, :)
    real(8), intent(out) :: r(:)
    real(8) :: m(3, 4), v(4), w(3)
    real :: s(12)
    integer :: places(2), numbers(3)
    logical :: flags(4)
    m = a
    r = 0
    r(1) = sum(a) + product(a(1, 1:2)) + maxval(a) - minval(a)
    r(2) = sum(a, mask=l) + maxval(a, mask=a < 5) + minval(k) + maxval(k) + sum(k) + product(k(1:3))
    v = sum(a, 1)
    w = maxval(a, 2)
    r(3) = v(4) + 10 * w(3) + sum(minval(a, 1, mask=l)) + sum(product(a, 1))
    places = maxloc(a)
    r(4) = places(1) + 10 * places(2)
    places = minloc(a, mask=a > 3)
    r(5) = places(1) + 10 * places(2)
    numbers = maxloc(a, 2)
    r(6) = numbers(1) + 10 * numbers(2) + 100 * minloc(k, 1) + 1000 * maxloc(k, 1, back=.true.)
    r(7) = count(l) + merge(100, 0, any(l)) + merge(1000, 0, all(l)) + merge(5, 0, parity(l))
    flags = any(l, 1)
    r(8) = merge(1, 0, flags(1)) + 10 * sum(count(l, 2)) + merge(1000, 0, all(all(l, 1)))
    r(9) = dot_product(a(1, :), a(2, :)) + dot_product(k, k)
    m = matmul(matmul(a, transpose(a)), a)
    r(10) = sum(m) + m(2, 3)
    v = matmul(a(1, 1:3), reshape(a, [3, 4]))
    r(11) = v(1) + 10 * v(4)
    m = cshift(a, 1, 2)
    r(12) = m(1, 1) + 100 * m(3, 4)
    v = eoshift(a(1, :), -1, 7d0)
    r(13) = v(1) + 10 * v(4) + sum(cshift(k, -2) * [1, 2, 3, 4])
    m = spread(a(:, 2), 2, 4)
    r(14) = m(1, 4) + 10 * m(3, 1) + sum(pack(a, l))
    m = reshape(pack(a, a > 2), [3, 4], pad=[-1d0, -2d0], order=[2, 1])
    r(15) = m(1, 1) + 10 * m(2, 2) + 100 * m(3, 4)
    s = [real(a)]
    r(16) = sum(s) + maxval(s) + dot_product(s, s) + maxval(int(s, 1)) + sum(int(s, 2)) + product(int(s(1:2), 8))
  end subroutine
  subroutine add_one(x, n)
    !$omp declare target
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    x = x + 1
  end subroutine
  subroutine inquiries(a, k, d, r)
    !$omp declare target
    real(8), intent(inout), target :: a(:, :)
    integer, intent(inout) :: k(:)
    integer, intent(in) :: d
    real(8), intent(out) :: r(:)
    real(8), pointer :: p(:)
    r(1) = size(a, d) + 10 * lbound(a, d) + 100 * ubound(a, d) + 1000 * size(a)
    call add_one(a(2, :), size(a, 2))
    call add_one(a(:, 1), size(a, 1))
    r(2) = sum(a) + merge(1, 0, is_contiguous(a(1, :)))
    p => a(:, 2)
    r(3) = merge(1, 0, associated(p)) + merge(2, 0, associated(p, a(:, 2))) + merge(4, 0, associated(p, a(:, 1)))
    a(1, :) = unpack([1d0, 2d0, 3d0, 4d0], a(1, :) > 3, a(3, :))
    r(4) = sum(a) + sum(transfer(k, [0_8]))
    k = transfer(transfer(k, [0_1]), k)
    r(5) = k(1) + 10 * k(4) + transfer(1.5, k(1))
  end subroutine
  subroutine numbers(x, y, r)
    !$omp declare target
    real, intent(in) :: x
    real(8), intent(in) :: y
    real(8), intent(out) :: r(:)
    r = [real(8) :: mod(x, 0.75), modulo(-x, 0.75), mod(y, 0.7d0), modulo(-y, 0.7d0), real(exponent(x)), &
      real(exponent(y)), fraction(x), fraction(y), scale(x, 3), scale(y, -3), set_exponent(x, 2), set_exponent(y, -2), &
      nearest(x, 1.0), nearest(y, -1d0), spacing(x), spacing(y), rrspacing(x), rrspacing(y)]
  end subroutine
  subroutine texts(text, n)
    !$omp declare target
    character(*), intent(in) :: text
    integer, intent(out) :: n(:)
    character(10) :: t
    n = [len_trim(text), index(text, 'an'), index(text, 'an', .true.), scan(text, 'xn'), verify(text, 'ban'), &
      len(trim(text)), merge(1, 0, text < 'bat'), merge(1, 0, text == 'banana'), merge(1, 0, text > 'band'), 0, 0, 0]
    t = adjustr(text)
    n(10) = index(t, 'b')
    t = adjustl(t)
    n(11) = index(t, 'b')
    t = repeat('xy', 3)
    n(12) = len_trim(t)
  end subroutine
end module
program intrinsics
  use computing
  real(8) :: a(3, 4), other(3, 4), q(5), asked(5), r(16), expected(16), s(18), parts(18), y
  integer :: i, d, k(4), m(4), n(12), places(12)
  logical :: l(3, 4)
  character(8) :: text
  real :: x
  a = reshape([(mod(5d0 * i, 12d0), i = 1, 12)], [3, 4])
  k = [4, -2, 9, 9]
  l = a > 3
  x = 12.34
  y = -567.891d0
  text = 'banana'
  other = a
  m = k
  d = 2
  !$omp target map(to: a, k, l, x, y, text) map(from: r, s, n)
  call arrays(a, k, l, r)
  call numbers(x, y, s)
  call texts(text, n)
  !$omp end target
  !$omp target map(tofrom: other, m) map(to: d) map(from: q)
  call inquiries(other, m, d, q)
  !$omp end target
  call arrays(a, k, l, expected)
  call numbers(x, y, parts)
  call texts(text, places)
  call inquiries(a, k, d, asked)
  if (any(other /= a) .or. any(m /= k)) print *, 'inquiries change', other, a, m, k
  do i = 1, 5
    if (q(i) /= asked(i)) print *, 'inquiries', i, q(i), asked(i)
  end do
  do i = 1, 16
    if (r(i) /= expected(i)) print *, 'arrays', i, r(i), expected(i)
  end do
  do i = 1, 18
    if (s(i) /= parts(i)) print *, 'numbers', i, s(i), parts(i)
  end do
  do i = 1, 12
    if (n(i) /= places(i)) print *, 'texts', i, n(i), places(i)
  end do
  print '(a)', 'PASS'
end program
