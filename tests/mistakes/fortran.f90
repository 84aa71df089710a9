! Mistakes in Fortran programs.
#ifdef RIGHT
#define MISTAKE(wrong, right) right
#else
#define MISTAKE(wrong, right) wrong
#endif

module mistakes
  implicit none
contains

  ! mistake section_too_short: memory, past the end
  subroutine section_too_short(x, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(2 * n)
    integer :: i

    !$omp target teams distribute parallel do map(tofrom: x(1:n))
    do i = 1, n + MISTAKE(1, 0)
      x(i) = 2 * i ! <- memory
    end do
  end subroutine

  ! mistake sum_without_reduction: race
  subroutine sum_without_reduction(x, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(2 * n)
    integer :: i, total

    total = 0
#ifdef RIGHT
    !$omp target parallel do map(to: x(1:n)) map(tofrom: total) reduction(+: total)
#else
    !$omp target parallel do map(to: x(1:n)) map(tofrom: total)
#endif
    do i = 1, n
      total = total + x(i) ! <- race
    end do
    x(1) = total
  end subroutine

  ! mistake loop_carried: race
  subroutine loop_carried(x, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(2 * n)
    integer :: i

#ifdef RIGHT
    !$omp target map(tofrom: x(1:n))
#else
    !$omp target parallel do map(tofrom: x(1:n))
#endif
    do i = 2, n
      x(i) = x(i - 1) + i ! <- race
    end do
#ifdef RIGHT
    !$omp end target
#endif
  end subroutine

  ! mistake mapped_from: init, never written
  subroutine mapped_from(x, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(2 * n)
    integer :: i

    !$omp target teams distribute parallel do map(MISTAKE(from, tofrom): x(1:n))
    do i = 1, n
      x(i) = x(i) + 1 ! <- init
    end do
  end subroutine

  ! mistake never_unmapped: host, still mapped
  subroutine never_unmapped(x, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(2 * n)
    integer :: i

    !$omp target enter data map(to: x(1:n)) ! flang names no file here
    !$omp target teams distribute parallel do
    do i = 1, n
      x(i) = x(i) + 1
    end do
#ifdef RIGHT
    !$omp target exit data map(from: x(1:n))
#endif
  end subroutine

  ! mistake update_in_flight: race, target update
  subroutine update_in_flight(x, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(2 * n)
    integer :: i

    !$omp target enter data map(to: x(1:n))
    !$omp target parallel do nowait
    do i = 1, n
      x(i) = x(i) + 1 ! <- race
    end do
#ifdef RIGHT
    !$omp taskwait
#endif
    !$omp target update from(x(1:n))
    !$omp taskwait
    !$omp target exit data map(release: x(1:n))
  end subroutine
end module

program main
  use mistakes
  implicit none
  integer, allocatable :: x(:)
  integer :: n, i
  character(32) :: name

  call get_command_argument(1, name)
  n = 64
  allocate(x(2 * n))
  x = [(i, i = 1, 2 * n)]
  select case (name)
  case ('section_too_short'); call section_too_short(x, n)
  case ('sum_without_reduction'); call sum_without_reduction(x, n)
  case ('loop_carried'); call loop_carried(x, n)
  case ('mapped_from'); call mapped_from(x, n)
  case ('never_unmapped'); call never_unmapped(x, n)
  case ('update_in_flight'); call update_in_flight(x, n)
  case default; stop 2
  end select
end program
