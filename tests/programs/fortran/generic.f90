! Parallel regions in kernels that stay generic: between them a team's one thread executes sequential code, with
! variables of the team's own.
program generic
  use omp_lib
  implicit none
  integer, parameter :: order = 48, tile = 16
  integer :: i, j, it, jt, levels(order), wrong
  real(8) :: a(order, order), b(order, order), t(tile, tile), sums(order), s

  do j = 1, order
    do i = 1, order
      a(i, j) = order * (j - 1) + i
    end do
  end do
  b = 0
  levels = 0
  wrong = 0

  ! A tile of the team's, which one region writes and the next reads.
  !$omp target teams distribute collapse(2) private(t, i, j) map(to: a) map(tofrom: b)
  do jt = 0, order - 1, tile
    do it = 0, order - 1, tile
      !$omp parallel do collapse(2)
      do j = 1, tile
        do i = 1, tile
          t(i, j) = a(it + i, jt + j)
        end do
      end do
      !$omp parallel do simd collapse(2) schedule(static)
      do i = 1, tile
        do j = 1, tile
          b(jt + j, it + i) = b(jt + j, it + i) + t(i, j)
        end do
      end do
    end do
  end do
  if (any(b /= transpose(a))) wrong = wrong + 1

  ! A sum per team, and sequential code before and after it.
  !$omp target teams distribute private(s, i) map(to: a) map(from: sums, levels)
  do j = 1, order
    s = j
    !$omp parallel do reduction(+: s)
    do i = 1, order
      s = s + a(i, j)
    end do
    sums(j) = 2 * s
    !$omp parallel
    if (omp_get_thread_num() == 0) levels(j) = omp_get_level()
    !$omp end parallel
  end do
  do j = 1, order
    if (sums(j) /= 2 * (j + sum(a(:, j)))) wrong = wrong + 1
    if (levels(j) /= 1) wrong = wrong + 1
  end do

  if (wrong == 0) then
    print '(a)', 'PASS'
  else
    print '(a, i0)', 'FAIL ', wrong
  end if
end program
