//! The exported symbols, with the functions behind them (`cuda_library::exports`).

use crate::entry;

cuda_library::exports! {
    crate::entry::FRONT;
    one {
        curandCreateGeneratorHost = entry::create_host,
        curandDestroyGenerator = entry::destroy,
        curandGenerate = entry::generate,
        curandGenerateLogNormal = entry::generate_log_normal,
        curandGenerateLogNormalDouble = entry::generate_log_normal_double,
        curandGenerateLongLong = entry::generate_long,
        curandGenerateNormal = entry::generate_normal,
        curandGenerateNormalDouble = entry::generate_normal_double,
        curandGeneratePoisson = entry::generate_poisson,
        curandGenerateSeeds = entry::prepare,
        curandGenerateUniform = entry::generate_uniform,
        curandGenerateUniformDouble = entry::generate_uniform_double,
        curandGetDirectionVectors32 = entry::directions_32,
        curandGetDirectionVectors64 = entry::directions_64,
        curandGetProperty = entry::get_property,
        curandGetScrambleConstants32 = entry::shifts_32,
        curandGetScrambleConstants64 = entry::shifts_64,
        curandGetVersion = entry::get_version,
        curandSetGeneratorOffset = entry::set_offset,
        curandSetGeneratorOrdering = entry::set_ordering,
        curandSetPseudoRandomGeneratorSeed = entry::set_seed,
        curandSetQuasiRandomGeneratorDimensions = entry::set_dimensions,
    }
    both {
        curandCreateGenerator = entry::create,
        curandOmptargetFront = cuda_library::nvidia::marker,
        curandSetStream = entry::set_stream,
    }
}
