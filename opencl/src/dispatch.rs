//! The dispatch table of `cl_khr_icd`, which every handle begins with: the ICD loader calls functions by their places
//! in it (`cl_icd.h`).

use std::ffi::c_void;

use crate::entry::{
    command_buffers, contexts, devices, events, fills, image_transfers, images, intermediate,
    kernels, launches, mappings, memory, platforms, programs, queues, recordings, rectangles,
    samplers, shared, transfers, unsupported,
};

/// The address of a function.
#[repr(transparent)]
struct Slot(*const c_void);

// SAFETY: functions do not change.
unsafe impl Sync for Slot {}

macro_rules! table {
    ($($name:ident = $module:ident::$function:ident;)*) => {
        /// How many functions there are.
        const COUNT: usize = [$(stringify!($name)),*].len();
        /// Their names.
        const NAMES: [&str; COUNT] = [$(stringify!($name)),*];
        /// The table of the process.
        pub static TABLE: Table = Table([$(Slot($module::$function as *const c_void)),*]);
    };
}

/// A dispatch table.
#[repr(C)]
pub struct Table([Slot; COUNT]);

/// The function of a name; null for one that there is not.
pub fn function(name: &str) -> *mut c_void {
    let index = NAMES.iter().position(|known| *known == name);
    let of_table = index.map(|index| &TABLE.0[index]);
    let of_extension = || EXTENSIONS.iter().find(|(known, _)| *known == name);
    let slot = of_table.or_else(|| of_extension().map(|(_, slot)| slot));
    slot.map_or(std::ptr::null_mut(), |slot| slot.0.cast_mut())
}

table! {
    clGetPlatformIDs = platforms::clGetPlatformIDs;
    clGetPlatformInfo = platforms::clGetPlatformInfo;
    clGetDeviceIDs = devices::clGetDeviceIDs;
    clGetDeviceInfo = devices::clGetDeviceInfo;
    clCreateContext = contexts::clCreateContext;
    clCreateContextFromType = contexts::clCreateContextFromType;
    clRetainContext = contexts::clRetainContext;
    clReleaseContext = contexts::clReleaseContext;
    clGetContextInfo = contexts::clGetContextInfo;
    clCreateCommandQueue = queues::clCreateCommandQueue;
    clRetainCommandQueue = queues::clRetainCommandQueue;
    clReleaseCommandQueue = queues::clReleaseCommandQueue;
    clGetCommandQueueInfo = queues::clGetCommandQueueInfo;
    clSetCommandQueueProperty = queues::clSetCommandQueueProperty;
    clCreateBuffer = memory::clCreateBuffer;
    clCreateImage2D = images::clCreateImage2D;
    clCreateImage3D = images::clCreateImage3D;
    clRetainMemObject = memory::clRetainMemObject;
    clReleaseMemObject = memory::clReleaseMemObject;
    clGetSupportedImageFormats = images::clGetSupportedImageFormats;
    clGetMemObjectInfo = memory::clGetMemObjectInfo;
    clGetImageInfo = images::clGetImageInfo;
    clCreateSampler = samplers::clCreateSampler;
    clRetainSampler = samplers::clRetainSampler;
    clReleaseSampler = samplers::clReleaseSampler;
    clGetSamplerInfo = samplers::clGetSamplerInfo;
    clCreateProgramWithSource = programs::clCreateProgramWithSource;
    clCreateProgramWithBinary = programs::clCreateProgramWithBinary;
    clRetainProgram = programs::clRetainProgram;
    clReleaseProgram = programs::clReleaseProgram;
    clBuildProgram = programs::clBuildProgram;
    clUnloadCompiler = platforms::clUnloadCompiler;
    clGetProgramInfo = programs::clGetProgramInfo;
    clGetProgramBuildInfo = programs::clGetProgramBuildInfo;
    clCreateKernel = kernels::clCreateKernel;
    clCreateKernelsInProgram = kernels::clCreateKernelsInProgram;
    clRetainKernel = kernels::clRetainKernel;
    clReleaseKernel = kernels::clReleaseKernel;
    clSetKernelArg = kernels::clSetKernelArg;
    clGetKernelInfo = kernels::clGetKernelInfo;
    clGetKernelWorkGroupInfo = kernels::clGetKernelWorkGroupInfo;
    clWaitForEvents = events::clWaitForEvents;
    clGetEventInfo = events::clGetEventInfo;
    clRetainEvent = events::clRetainEvent;
    clReleaseEvent = events::clReleaseEvent;
    clGetEventProfilingInfo = events::clGetEventProfilingInfo;
    clFlush = queues::clFlush;
    clFinish = queues::clFinish;
    clEnqueueReadBuffer = transfers::clEnqueueReadBuffer;
    clEnqueueWriteBuffer = transfers::clEnqueueWriteBuffer;
    clEnqueueCopyBuffer = transfers::clEnqueueCopyBuffer;
    clEnqueueReadImage = image_transfers::clEnqueueReadImage;
    clEnqueueWriteImage = image_transfers::clEnqueueWriteImage;
    clEnqueueCopyImage = image_transfers::clEnqueueCopyImage;
    clEnqueueCopyImageToBuffer = image_transfers::clEnqueueCopyImageToBuffer;
    clEnqueueCopyBufferToImage = image_transfers::clEnqueueCopyBufferToImage;
    clEnqueueMapBuffer = mappings::clEnqueueMapBuffer;
    clEnqueueMapImage = mappings::clEnqueueMapImage;
    clEnqueueUnmapMemObject = mappings::clEnqueueUnmapMemObject;
    clEnqueueNDRangeKernel = launches::clEnqueueNDRangeKernel;
    clEnqueueTask = launches::clEnqueueTask;
    clEnqueueNativeKernel = launches::clEnqueueNativeKernel;
    clEnqueueMarker = events::clEnqueueMarker;
    clEnqueueWaitForEvents = events::clEnqueueWaitForEvents;
    clEnqueueBarrier = events::clEnqueueBarrier;
    clGetExtensionFunctionAddress = platforms::clGetExtensionFunctionAddress;
    clCreateFromGLBuffer = unsupported::no_object;
    clCreateFromGLTexture2D = unsupported::no_object;
    clCreateFromGLTexture3D = unsupported::no_object;
    clCreateFromGLRenderbuffer = unsupported::no_object;
    clGetGLObjectInfo = unsupported::no_interface;
    clGetGLTextureInfo = unsupported::no_interface;
    clEnqueueAcquireGLObjects = unsupported::no_interface;
    clEnqueueReleaseGLObjects = unsupported::no_interface;
    clGetGLContextInfoKHR = unsupported::no_interface;
    clGetDeviceIDsFromD3D10KHR = unsupported::no_interface;
    clCreateFromD3D10BufferKHR = unsupported::no_object;
    clCreateFromD3D10Texture2DKHR = unsupported::no_object;
    clCreateFromD3D10Texture3DKHR = unsupported::no_object;
    clEnqueueAcquireD3D10ObjectsKHR = unsupported::no_interface;
    clEnqueueReleaseD3D10ObjectsKHR = unsupported::no_interface;
    clSetEventCallback = events::clSetEventCallback;
    clCreateSubBuffer = memory::clCreateSubBuffer;
    clSetMemObjectDestructorCallback = memory::clSetMemObjectDestructorCallback;
    clCreateUserEvent = events::clCreateUserEvent;
    clSetUserEventStatus = events::clSetUserEventStatus;
    clEnqueueReadBufferRect = rectangles::clEnqueueReadBufferRect;
    clEnqueueWriteBufferRect = rectangles::clEnqueueWriteBufferRect;
    clEnqueueCopyBufferRect = rectangles::clEnqueueCopyBufferRect;
    clCreateSubDevicesEXT = devices::clCreateSubDevices;
    clRetainDeviceEXT = devices::clRetainDevice;
    clReleaseDeviceEXT = devices::clReleaseDevice;
    clCreateEventFromGLsyncKHR = unsupported::no_object;
    clCreateSubDevices = devices::clCreateSubDevices;
    clRetainDevice = devices::clRetainDevice;
    clReleaseDevice = devices::clReleaseDevice;
    clCreateImage = images::clCreateImage;
    clCreateProgramWithBuiltInKernels = unsupported::clCreateProgramWithBuiltInKernels;
    clCompileProgram = programs::clCompileProgram;
    clLinkProgram = programs::clLinkProgram;
    clUnloadPlatformCompiler = platforms::clUnloadPlatformCompiler;
    clGetKernelArgInfo = kernels::clGetKernelArgInfo;
    clEnqueueFillBuffer = fills::clEnqueueFillBuffer;
    clEnqueueFillImage = image_transfers::clEnqueueFillImage;
    clEnqueueMigrateMemObjects = memory::clEnqueueMigrateMemObjects;
    clEnqueueMarkerWithWaitList = events::clEnqueueMarkerWithWaitList;
    clEnqueueBarrierWithWaitList = events::clEnqueueBarrierWithWaitList;
    clGetExtensionFunctionAddressForPlatform = platforms::clGetExtensionFunctionAddressForPlatform;
    clCreateFromGLTexture = unsupported::no_object;
    clGetDeviceIDsFromD3D11KHR = unsupported::no_interface;
    clCreateFromD3D11BufferKHR = unsupported::no_object;
    clCreateFromD3D11Texture2DKHR = unsupported::no_object;
    clCreateFromD3D11Texture3DKHR = unsupported::no_object;
    clCreateFromDX9MediaSurfaceKHR = unsupported::no_object;
    clEnqueueAcquireD3D11ObjectsKHR = unsupported::no_interface;
    clEnqueueReleaseD3D11ObjectsKHR = unsupported::no_interface;
    clGetDeviceIDsFromDX9MediaAdapterKHR = unsupported::no_interface;
    clEnqueueAcquireDX9MediaSurfacesKHR = unsupported::no_interface;
    clEnqueueReleaseDX9MediaSurfacesKHR = unsupported::no_interface;
    clCreateFromEGLImageKHR = unsupported::no_object;
    clEnqueueAcquireEGLObjectsKHR = unsupported::no_interface;
    clEnqueueReleaseEGLObjectsKHR = unsupported::no_interface;
    clCreateEventFromEGLSyncKHR = unsupported::no_object;
    clCreateCommandQueueWithProperties = queues::clCreateCommandQueueWithProperties;
    clCreatePipe = unsupported::clCreatePipe;
    clGetPipeInfo = unsupported::no_memory_object;
    clSVMAlloc = shared::clSVMAlloc;
    clSVMFree = shared::clSVMFree;
    clEnqueueSVMFree = shared::clEnqueueSVMFree;
    clEnqueueSVMMemcpy = shared::clEnqueueSVMMemcpy;
    clEnqueueSVMMemFill = shared::clEnqueueSVMMemFill;
    clEnqueueSVMMap = shared::clEnqueueSVMMap;
    clEnqueueSVMUnmap = shared::clEnqueueSVMUnmap;
    clCreateSamplerWithProperties = samplers::clCreateSamplerWithProperties;
    clSetKernelArgSVMPointer = kernels::clSetKernelArgSVMPointer;
    clSetKernelExecInfo = kernels::clSetKernelExecInfo;
    clGetKernelSubGroupInfoKHR = kernels::clGetKernelSubGroupInfo;
    clCloneKernel = kernels::clCloneKernel;
    clCreateProgramWithIL = intermediate::clCreateProgramWithIL;
    clEnqueueSVMMigrateMem = shared::clEnqueueSVMMigrateMem;
    clGetDeviceAndHostTimer = devices::clGetDeviceAndHostTimer;
    clGetHostTimer = devices::clGetHostTimer;
    clGetKernelSubGroupInfo = kernels::clGetKernelSubGroupInfo;
    clSetDefaultDeviceCommandQueue = queues::clSetDefaultDeviceCommandQueue;
    clSetProgramReleaseCallback = unsupported::clSetProgramReleaseCallback;
    clSetProgramSpecializationConstant = intermediate::clSetProgramSpecializationConstant;
    clCreateBufferWithProperties = memory::clCreateBufferWithProperties;
    clCreateImageWithProperties = images::clCreateImageWithProperties;
    clSetContextDestructorCallback = contexts::clSetContextDestructorCallback;
}

macro_rules! extensions {
    ($($module:ident::$function:ident;)*) => {
        /// Functions of extensions, which are in no table: programs ask for their addresses.
        const EXTENSIONS: &[(&str, Slot)] =
            &[$((stringify!($function), Slot($module::$function as *const c_void))),*];
    };
}

extensions! {
    command_buffers::clCreateCommandBufferKHR;
    command_buffers::clFinalizeCommandBufferKHR;
    command_buffers::clRetainCommandBufferKHR;
    command_buffers::clReleaseCommandBufferKHR;
    command_buffers::clEnqueueCommandBufferKHR;
    command_buffers::clGetCommandBufferInfoKHR;
    recordings::clCommandBarrierWithWaitListKHR;
    recordings::clCommandCopyBufferKHR;
    recordings::clCommandCopyBufferRectKHR;
    recordings::clCommandCopyBufferToImageKHR;
    recordings::clCommandCopyImageKHR;
    recordings::clCommandCopyImageToBufferKHR;
    recordings::clCommandFillBufferKHR;
    recordings::clCommandFillImageKHR;
    recordings::clCommandNDRangeKernelKHR;
    recordings::clCommandSVMMemcpyKHR;
    recordings::clCommandSVMMemFillKHR;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places that `cl_icd.h` gives.
    #[test]
    fn functions_are_in_their_places() {
        for (place, name) in [
            (0, "clGetPlatformIDs"),
            (30, "clBuildProgram"),
            (65, "clGetExtensionFunctionAddress"),
            (148, "clSetContextDestructorCallback"),
        ] {
            assert_eq!(NAMES[place], name);
            assert_eq!(function(name), TABLE.0[place].0.cast_mut());
        }
        assert!(!function("clCommandNDRangeKernelKHR").is_null());
        assert!(function("clNonsense").is_null());
    }
}
