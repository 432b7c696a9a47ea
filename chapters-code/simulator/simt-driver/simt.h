/* What the simulator's libcuda has beyond CUDA's driver API. A program finds the functions with dlsym, or links with the
 * library. All may be called by any thread, also before cuInit. */
#ifndef SIMT_H
#define SIMT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets an option for the launches to come, such as "races" to 1: simt-driver/src/api/extra.rs has the table. Returns 0, or
 * CUDA_ERROR_INVALID_VALUE (1) if there is no such option, or it has no such value; standard error then says what would
 * be one. */
int simtSetOption(const char *name, int64_t value);

/* Calls the allocation, or the variable of a module, that contains `address` by this name in reports to come, in place of its
 * address; an empty name ends that. Returns 0, or CUDA_ERROR_INVALID_VALUE (1) where nothing is allocated. */
int simtSetName(uint64_t address, const char *name);

/* Takes what the launches since the last report counted, found and traced, as JSON whose field "version" is 1. Returns the
 * length of the text in bytes, without a NUL. If that is at most `length`, the text is in `buffer`, followed by a NUL if there
 * is room, and the next report begins anew; otherwise nothing has changed. A null `buffer` asks for the length. */
size_t simtTakeReport(char *buffer, size_t length);

/* The same for all that the devices have executed since the option "record" was set to 1. With its text the recording ends. */
size_t simtTakeRecording(char *buffer, size_t length);

/* Notes a report of another library, which has said it on standard error: strict mode counts it. `answered` is 1 if a call of
 * that library has returned an error for it. */
void simtNoteReport(int answered);

#ifdef __cplusplus
}
#endif

#endif
