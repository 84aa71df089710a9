//! What no virtual GPU has: temperatures, clocks, power, links, counters of errors. Programs that monitor GPUs ask for
//! them, and go on when they hear that the device cannot tell.

use crate::session;
use crate::status::{Status, answer};

/// Functions that say so, whatever their arguments are.
macro_rules! unsupported {
    ($($name:ident)*) => { $(
        /// The device cannot tell.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> i32 {
            answer(session::devices().and(Err(Status::NOT_SUPPORTED)))
        }
    )* };
}

unsupported! {
    nvmlDeviceGetAccountingMode
    nvmlDeviceGetApplicationsClock
    nvmlDeviceGetAttributes_v2
    nvmlDeviceGetBAR1MemoryInfo
    nvmlDeviceGetBoardId
    nvmlDeviceGetBoardPartNumber
    nvmlDeviceGetClock
    nvmlDeviceGetClockInfo
    nvmlDeviceGetCpuAffinity
    nvmlDeviceGetCurrPcieLinkGeneration
    nvmlDeviceGetCurrPcieLinkWidth
    nvmlDeviceGetCurrentClocksThrottleReasons
    nvmlDeviceGetDecoderUtilization
    nvmlDeviceGetDefaultApplicationsClock
    nvmlDeviceGetDetailedEccErrors
    nvmlDeviceGetDisplayActive
    nvmlDeviceGetDisplayMode
    nvmlDeviceGetDriverModel
    nvmlDeviceGetEccMode
    nvmlDeviceGetEncoderUtilization
    nvmlDeviceGetEnforcedPowerLimit
    nvmlDeviceGetFanSpeed
    nvmlDeviceGetFanSpeed_v2
    nvmlDeviceGetFieldValues
    nvmlDeviceGetGpuInstanceId
    nvmlDeviceGetHandleBySerial
    nvmlDeviceGetInforomImageVersion
    nvmlDeviceGetMaxClockInfo
    nvmlDeviceGetMaxPcieLinkGeneration
    nvmlDeviceGetMaxPcieLinkWidth
    nvmlDeviceGetMemoryErrorCounter
    nvmlDeviceGetMigDeviceHandleByIndex
    nvmlDeviceGetMigMode
    nvmlDeviceGetNumFans
    nvmlDeviceGetNumGpuCores
    nvmlDeviceGetNvLinkCapability
    nvmlDeviceGetNvLinkRemotePciInfo_v2
    nvmlDeviceGetNvLinkState
    nvmlDeviceGetP2PStatus
    nvmlDeviceGetPcieReplayCounter
    nvmlDeviceGetPcieThroughput
    nvmlDeviceGetPerformanceState
    nvmlDeviceGetPowerManagementDefaultLimit
    nvmlDeviceGetPowerManagementLimit
    nvmlDeviceGetPowerManagementLimitConstraints
    nvmlDeviceGetPowerManagementMode
    nvmlDeviceGetPowerState
    nvmlDeviceGetPowerUsage
    nvmlDeviceGetProcessUtilization
    nvmlDeviceGetRetiredPages
    nvmlDeviceGetSamples
    nvmlDeviceGetSerial
    nvmlDeviceGetSupportedEventTypes
    nvmlDeviceGetSupportedGraphicsClocks
    nvmlDeviceGetSupportedMemoryClocks
    nvmlDeviceGetTemperature
    nvmlDeviceGetTemperatureThreshold
    nvmlDeviceGetTopologyCommonAncestor
    nvmlDeviceGetTopologyNearestGpus
    nvmlDeviceGetTotalEccErrors
    nvmlDeviceGetTotalEnergyConsumption
    nvmlDeviceGetUtilizationRates
    nvmlDeviceGetVbiosVersion
    nvmlDeviceGetViolationStatus
    nvmlDeviceGetVirtualizationMode
    nvmlDeviceRegisterEvents
    nvmlDeviceSetApplicationsClocks
    nvmlDeviceSetComputeMode
    nvmlDeviceSetPersistenceMode
    nvmlDeviceSetPowerManagementLimit
    nvmlEventSetCreate
    nvmlSystemGetHicVersion
    nvmlSystemGetTopologyGpuSet
    nvmlUnitGetCount
}
