!mod$ v1 sum:2d3a4aeff0fd6dc7
module strides_module
contains
subroutine combine(a,b,total)
real(8),intent(inout)::a(:)
real(4),intent(in)::b(:)
real(8),intent(out)::total
end
subroutine smooth(from,to)
real(8),intent(in)::from(0_8:,0_8:)
real(8),intent(inout)::to(0_8:,0_8:)
end
subroutine columns(from,sums)
real(8),intent(in)::from(:,:)
real(8),intent(out)::sums(:)
end
end
