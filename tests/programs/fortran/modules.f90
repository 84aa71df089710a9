! A module's procedures and variables on the device, used by program.f90.
module kernels
  implicit none
  real(8) :: scale = 3d0
  !$omp declare target(scale)
contains
  pure real(8) function scaled_square(x)
    !$omp declare target
    real(8), intent(in) :: x
    scaled_square = x * x * scale
  end function

  subroutine axpy(a, x, y)
    real(8), intent(in) :: a, x(:)
    real(8), intent(inout) :: y(:)
    integer :: i
    !$omp target teams distribute parallel do
    do i = 1, size(x)
      y(i) = y(i) + a * scaled_square(x(i))
    end do
  end subroutine
end module
