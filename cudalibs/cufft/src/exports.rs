//! The exported symbols, with the functions behind them (`cuda_library::exports`).

use crate::{execution, planning};

cuda_library::exports! {
    crate::plans::FRONT;
    one {
        cufftDestroy = planning::destroy,
        cufftEstimate1d = planning::estimate_1d,
        cufftEstimate2d = planning::estimate_2d,
        cufftEstimate3d = planning::estimate_3d,
        cufftEstimateMany = planning::estimate_many,
        cufftExecC2C = execution::exec_c2c,
        cufftExecC2R = execution::exec_c2r,
        cufftExecD2Z = execution::exec_d2z,
        cufftExecR2C = execution::exec_r2c,
        cufftExecZ2D = execution::exec_z2d,
        cufftExecZ2Z = execution::exec_z2z,
        cufftGetProperty = planning::get_property,
        cufftGetSize = planning::get_size,
        cufftGetVersion = planning::get_version,
        cufftMakePlan1d = planning::make_1d,
        cufftMakePlan2d = planning::make_2d,
        cufftMakePlan3d = planning::make_3d,
        cufftMakePlanMany = planning::make_many,
        cufftMakePlanMany64 = planning::make_many_64,
        cufftSetAutoAllocation = planning::set_auto_allocation,
        cufftSetWorkArea = planning::set_work_area,
        cufftXtExec = execution::exec,
        cufftXtExecDescriptorC2C = planning::transform_parts,
        cufftXtExecDescriptorZ2Z = planning::transform_parts,
        cufftXtMemcpy = planning::copy_parts,
        cufftXtSetGPUs = planning::set_devices,
        cufftXtSetWorkArea = planning::set_work_areas,
        cufftXtMakePlanMany = planning::make_typed,
    }
    both {
        cufftCreate = planning::cufft_create,
        cufftOmptargetFront = cuda_library::nvidia::marker,
        cufftPlan1d = planning::plan_1d,
        cufftPlan2d = planning::plan_2d,
        cufftPlan3d = planning::plan_3d,
        cufftPlanMany = planning::plan_many,
        cufftSetStream = planning::set_stream,
    }
}
