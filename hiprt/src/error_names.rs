//! Names of error codes. The numbers are CUDA's, as far as HIP has them.

use std::ffi::CStr;

/// Number and name of each.
const NAMES: &[(i32, &CStr)] = &[
    (0, c"hipSuccess"),
    (1, c"hipErrorInvalidValue"),
    (2, c"hipErrorOutOfMemory"),
    (3, c"hipErrorNotInitialized"),
    (4, c"hipErrorDeinitialized"),
    (5, c"hipErrorProfilerDisabled"),
    (6, c"hipErrorProfilerNotInitialized"),
    (7, c"hipErrorProfilerAlreadyStarted"),
    (8, c"hipErrorProfilerAlreadyStopped"),
    (9, c"hipErrorInvalidConfiguration"),
    (12, c"hipErrorInvalidPitchValue"),
    (13, c"hipErrorInvalidSymbol"),
    (17, c"hipErrorInvalidDevicePointer"),
    (21, c"hipErrorInvalidMemcpyDirection"),
    (35, c"hipErrorInsufficientDriver"),
    (52, c"hipErrorMissingConfiguration"),
    (53, c"hipErrorPriorLaunchFailure"),
    (98, c"hipErrorInvalidDeviceFunction"),
    (100, c"hipErrorNoDevice"),
    (101, c"hipErrorInvalidDevice"),
    (200, c"hipErrorInvalidImage"),
    (201, c"hipErrorInvalidContext"),
    (202, c"hipErrorContextAlreadyCurrent"),
    (205, c"hipErrorMapFailed"),
    (206, c"hipErrorUnmapFailed"),
    (207, c"hipErrorArrayIsMapped"),
    (208, c"hipErrorAlreadyMapped"),
    (209, c"hipErrorNoBinaryForGpu"),
    (210, c"hipErrorAlreadyAcquired"),
    (211, c"hipErrorNotMapped"),
    (212, c"hipErrorNotMappedAsArray"),
    (213, c"hipErrorNotMappedAsPointer"),
    (214, c"hipErrorECCNotCorrectable"),
    (215, c"hipErrorUnsupportedLimit"),
    (216, c"hipErrorContextAlreadyInUse"),
    (217, c"hipErrorPeerAccessUnsupported"),
    (218, c"hipErrorInvalidKernelFile"),
    (219, c"hipErrorInvalidGraphicsContext"),
    (300, c"hipErrorInvalidSource"),
    (301, c"hipErrorFileNotFound"),
    (302, c"hipErrorSharedObjectSymbolNotFound"),
    (303, c"hipErrorSharedObjectInitFailed"),
    (304, c"hipErrorOperatingSystem"),
    (400, c"hipErrorInvalidHandle"),
    (401, c"hipErrorIllegalState"),
    (500, c"hipErrorNotFound"),
    (600, c"hipErrorNotReady"),
    (700, c"hipErrorIllegalAddress"),
    (701, c"hipErrorLaunchOutOfResources"),
    (702, c"hipErrorLaunchTimeOut"),
    (704, c"hipErrorPeerAccessAlreadyEnabled"),
    (705, c"hipErrorPeerAccessNotEnabled"),
    (708, c"hipErrorSetOnActiveProcess"),
    (709, c"hipErrorContextIsDestroyed"),
    (710, c"hipErrorAssert"),
    (712, c"hipErrorHostMemoryAlreadyRegistered"),
    (713, c"hipErrorHostMemoryNotRegistered"),
    (719, c"hipErrorLaunchFailure"),
    (720, c"hipErrorCooperativeLaunchTooLarge"),
    (801, c"hipErrorNotSupported"),
    (900, c"hipErrorStreamCaptureUnsupported"),
    (901, c"hipErrorStreamCaptureInvalidated"),
    (902, c"hipErrorStreamCaptureMerge"),
    (903, c"hipErrorStreamCaptureUnmatched"),
    (904, c"hipErrorStreamCaptureUnjoined"),
    (905, c"hipErrorStreamCaptureIsolation"),
    (906, c"hipErrorStreamCaptureImplicit"),
    (907, c"hipErrorCapturedEvent"),
    (908, c"hipErrorStreamCaptureWrongThread"),
    (910, c"hipErrorGraphExecUpdateFailure"),
    (999, c"hipErrorUnknown"),
    (1052, c"hipErrorRuntimeMemory"),
    (1053, c"hipErrorRuntimeOther"),
];

/// The enumerator's name.
pub fn name(number: i32) -> &'static CStr {
    let known = NAMES.binary_search_by_key(&number, |(known, _)| *known);
    known.map_or(c"hipErrorUnknown", |index| NAMES[index].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        assert!(NAMES.is_sorted_by_key(|(number, _)| *number));
        assert_eq!(name(710), c"hipErrorAssert");
        assert_eq!(name(12345), c"hipErrorUnknown");
    }
}
