//! Functions that no current header declares, or only that of another API: exported like NVIDIA's,
//! and not implemented.

use super::unsupported::unsupported;

unsupported! {
    // First versions: addresses of 32 bits, or fewer arguments.
    cuArray3DCreate cuArray3DGetDescriptor cuArrayCreate cuArrayGetDescriptor cuCtxCreate
    cuDeviceTotalMem cuGraphInstantiate cuGraphicsResourceGetMappedEglFrame
    cuGraphicsResourceGetMappedPointer cuGraphicsResourceSetMapFlags cuIpcOpenMemHandle
    cuLinkAddData cuLinkAddFile cuLinkCreate cuMemAlloc cuMemAllocHost cuMemAllocPitch
    cuMemFree cuMemGetAddressRange cuMemGetInfo cuMemHostGetDevicePointer cuMemcpy2D
    cuMemcpy2DAsync cuMemcpy2DUnaligned cuMemcpy3D cuMemcpy3DAsync cuMemcpyAtoA cuMemcpyAtoD
    cuMemcpyAtoH cuMemcpyAtoHAsync cuMemcpyDtoA cuMemcpyDtoD cuMemcpyDtoDAsync cuMemcpyDtoH
    cuMemcpyDtoHAsync cuMemcpyHtoA cuMemcpyHtoAAsync cuMemcpyHtoD cuMemcpyHtoDAsync cuMemsetD16
    cuMemsetD2D16 cuMemsetD2D32 cuMemsetD2D8 cuMemsetD32 cuMemsetD8 cuModuleGetGlobal
    cuStreamBeginCapture cuStreamBeginCapture_ptsz cuTexRefGetAddress cuTexRefSetAddress
    cuTexRefSetAddress2D cuTexRefSetAddress2D_v2
    // Functions for OpenGL, EGL, VDPAU and NvSci.
    cuDeviceGetNvSciSyncAttributes cuEGLApiInit cuEGLStreamConsumerAcquireFrame
    cuEGLStreamConsumerConnect cuEGLStreamConsumerConnectWithFlags
    cuEGLStreamConsumerDisconnect cuEGLStreamConsumerReleaseFrame cuEGLStreamProducerConnect
    cuEGLStreamProducerDisconnect cuEGLStreamProducerPresentFrame
    cuEGLStreamProducerReturnFrame cuGLCtxCreate cuGLCtxCreate_v2 cuGLGetDevices
    cuGLGetDevices_v2 cuGLInit cuGLMapBufferObject cuGLMapBufferObjectAsync
    cuGLMapBufferObjectAsync_v2 cuGLMapBufferObjectAsync_v2_ptsz cuGLMapBufferObject_v2
    cuGLMapBufferObject_v2_ptds cuGLRegisterBufferObject cuGLSetBufferObjectMapFlags
    cuGLUnmapBufferObject cuGLUnmapBufferObjectAsync cuGLUnregisterBufferObject
    cuGraphicsEGLRegisterImage cuGraphicsGLRegisterBuffer cuGraphicsGLRegisterImage
    cuGraphicsVDPAURegisterOutputSurface cuGraphicsVDPAURegisterVideoSurface cuVDPAUCtxCreate
    cuVDPAUCtxCreate_v2 cuVDPAUGetDevice
    // Checkpoints of a process.
    cuCheckpointProcessCheckpoint cuCheckpointProcessGetRestoreThreadId
    cuCheckpointProcessGetState cuCheckpointProcessLock cuCheckpointProcessRestore
    cuCheckpointProcessUnlock
    // Exported, and in no header.
    cuMemGetAttribute cuMemGetAttribute_v2
}
