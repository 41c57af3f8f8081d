// A stand-in for libnvidia-ml.so.1: an imagined A100-like board whose misbehaviour is switched by a control file.
//
// FAKE_NVML_CONTROL  lines `key value`, read again at every call, so that a test can change the weather under a running program
// FAKE_NVML_JOURNAL  what was set, one line each: `lock INDEX MIN MAX PID`, `reset INDEX PID`; the last line of an index is the
//                    state of its clocks, which therefore outlives processes, as a driver's state does
// -DOLD_DRIVER       leaves out the symbols that old drivers lack; -DNO_LOCK also those of locked clocks
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OK = 0, UNINITIALISED = 1, INVALID = 2, UNSUPPORTED = 3, DENIED = 4, NOT_FOUND = 6, TOO_SMALL = 7, LOST = 15 };
enum { MAX_GPUS = 8, MIN_MHZ = 210, MAX_MHZ = 1410, STEP_MHZ = 15, MEMORY_MHZ = 1593 };

typedef struct { int index; int is_slice; } Board;
static Board boards[MAX_GPUS], slices[MAX_GPUS];
static int users; // nvmlInit less nvmlShutdown

static long control(const char *key, long fallback) {
  const char *path = getenv("FAKE_NVML_CONTROL");
  FILE *file = path ? fopen(path, "r") : NULL;
  if (!file) return fallback;
  char name[64];
  long value, found = fallback;
  while (fscanf(file, "%63s %ld", name, &value) == 2)
    if (!strcmp(name, key)) found = value;
  fclose(file);
  return found;
}

/** The highest clock that is allowed now, 0 when nothing is locked. */
static int locked(int index) {
  const char *path = getenv("FAKE_NVML_JOURNAL");
  FILE *file = path ? fopen(path, "r") : NULL;
  int max = 0, at, low, high;
  char line[128];
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "lock %d %d %d", &at, &low, &high) == 3 && at == index) max = high;
    if (sscanf(line, "reset %d", &at) == 1 && at == index) max = 0;
  }
  if (file) fclose(file);
  return max;
}

static int state_of(const Board *board) {
  if (users == 0) return UNINITIALISED;
  if (!board) return INVALID;
  return control("lost", 0) ? LOST : OK;
}
static int clock_of(const Board *board) {
  if (control("idle", 0)) return MIN_MHZ;
  int asked = locked(board->index);
  int clock = asked && control("honour", 1) ? asked : MAX_MHZ;
  int cap = control("capped", 0);
  return cap && clock > cap ? cap : clock;
}
static double watts_of(const Board *board) {
  double share = clock_of(board) / (double)MAX_MHZ;
  return 60 + 240 * share * share;
}

int nvmlInit_v2(void) {
  for (int i = 0; i < MAX_GPUS; i++) boards[i].index = slices[i].index = i, slices[i].is_slice = 1;
  int status = control("init", OK);
  if (status == OK) users++;
  return status;
}
int nvmlShutdown(void) {
  if (users == 0) return UNINITIALISED;
  users--;
  return OK;
}
int nvmlSystemGetDriverVersion(char *out, unsigned length) {
  snprintf(out, length, "%s", "570.00-fake");
  return OK;
}
int nvmlDeviceGetCount_v2(unsigned *count) {
  *count = control("gpus", 1);
  return OK;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Board **out) {
  if (index >= control("gpus", 1)) return INVALID;
  *out = &boards[index];
  return OK;
}
int nvmlDeviceGetHandleByUUID(const char *uuid, Board **out) {
  int index;
  if (sscanf(uuid, "GPU-fake-%d", &index) == 1 && index < control("gpus", 1)) *out = &boards[index];
  else if (sscanf(uuid, "MIG-fake-%d", &index) == 1 && index < control("gpus", 1)) *out = &slices[index];
  else return NOT_FOUND;
  return OK;
}
int nvmlDeviceGetUUID(Board *board, char *out, unsigned length) {
  if (state_of(board)) return state_of(board);
  snprintf(out, length, "%s-fake-%d", board->is_slice ? "MIG" : "GPU", board->index);
  return OK;
}
int nvmlDeviceGetName(Board *board, char *out, unsigned length) {
  if (state_of(board)) return state_of(board);
  snprintf(out, length, "%s", control("mixed", 0) && board->index > 0 ? "Fake T4" : "Fake A100");
  return OK;
}
int nvmlDeviceGetMemoryInfo(Board *board, uint64_t *out) {
  out[0] = 80ull << 30, out[1] = 60ull << 30, out[2] = 20ull << 30; // total, free, used
  return state_of(board);
}
int nvmlDeviceGetSupportedMemoryClocks(Board *board, unsigned *count, unsigned *mhz) {
  if (state_of(board)) return state_of(board);
  if (control("no_clock_list", 0)) return UNSUPPORTED;
  unsigned room = *count;
  *count = 1;
  if (room < 1) return TOO_SMALL;
  mhz[0] = MEMORY_MHZ;
  return OK;
}
int nvmlDeviceGetSupportedGraphicsClocks(Board *board, unsigned memory, unsigned *count, unsigned *mhz) {
  if (state_of(board)) return state_of(board);
  if (memory != MEMORY_MHZ) return NOT_FOUND;
  unsigned room = *count;
  *count = (MAX_MHZ - MIN_MHZ) / STEP_MHZ + 1;
  if (room < *count) return TOO_SMALL;
  for (unsigned i = 0; i < *count; i++) mhz[i] = MAX_MHZ - i * STEP_MHZ;
  return OK;
}
#ifndef NO_LOCK
static void note(const char *line) {
  const char *path = getenv("FAKE_NVML_JOURNAL");
  if (!path) return;
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (file < 0) return;
  if (write(file, line, strlen(line)) < 0) abort();
  close(file);
}
int nvmlDeviceSetGpuLockedClocks(Board *board, unsigned low, unsigned high) {
  if (state_of(board)) return state_of(board);
  if (board->is_slice) return UNSUPPORTED;
  if (control("denied", 0)) return DENIED;
  if (control("set_status", OK)) return control("set_status", OK);
  if (low > high || high < MIN_MHZ || high > MAX_MHZ) return INVALID;
  char line[128];
  snprintf(line, sizeof line, "lock %d %u %u %d\n", board->index, low, high, (int)getpid());
  note(line);
  return control("late_status", OK); // done, and said to have failed
}
int nvmlDeviceResetGpuLockedClocks(Board *board) {
  if (state_of(board)) return state_of(board);
  if (control("denied", 0)) return DENIED;
  char line[128];
  snprintf(line, sizeof line, "reset %d %d\n", board->index, (int)getpid());
  note(line);
  return OK;
}
#endif
int nvmlDeviceGetClockInfo(Board *board, unsigned type, unsigned *mhz) {
  if (state_of(board)) return state_of(board);
  *mhz = type == 2 ? MEMORY_MHZ : (unsigned)clock_of(board);
  return OK;
}
int nvmlDeviceGetMaxClockInfo(Board *board, unsigned type, unsigned *mhz) {
  *mhz = type == 2 ? MEMORY_MHZ : MAX_MHZ;
  return state_of(board);
}
int nvmlDeviceGetPowerUsage(Board *board, unsigned *milliwatts) {
  if (state_of(board)) return state_of(board);
  *milliwatts = (unsigned)(watts_of(board) * 1000);
  return OK;
}
int nvmlDeviceGetEnforcedPowerLimit(Board *board, unsigned *milliwatts) {
  *milliwatts = 300000;
  return state_of(board);
}
int nvmlDeviceGetTemperature(Board *board, unsigned sensor, unsigned *celsius) {
  *celsius = sensor == 0 ? 55 : 0;
  return state_of(board);
}
int nvmlDeviceGetUtilizationRates(Board *board, unsigned *out) {
  if (state_of(board)) return state_of(board);
  if (control("mig", 0)) return UNSUPPORTED;
  out[0] = control("idle", 0) ? 0 : 87, out[1] = control("idle", 0) ? 0 : 40; // GPU, memory
  return OK;
}
int nvmlDeviceGetPersistenceMode(Board *board, int *mode) {
  *mode = control("persistence", 1);
  return state_of(board);
}
static int reasons(Board *board, uint64_t *out) {
  if (state_of(board)) return state_of(board);
  *out = control("idle", 0) ? 1 : control("capped", 0) ? 4 : control("hot", 0) ? 0x40 : 0;
  return OK;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Board *board, uint64_t *out) { return reasons(board, out); }
#ifndef OLD_DRIVER
int nvmlDeviceGetCurrentClocksEventReasons(Board *board, uint64_t *out) { return reasons(board, out); }
int nvmlDeviceGetTotalEnergyConsumption(Board *board, uint64_t *millijoules) {
  if (state_of(board)) return state_of(board);
  if (control("no_energy", 0)) return UNSUPPORTED;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *millijoules = (uint64_t)((now.tv_sec * 1e3 + now.tv_nsec / 1e6) * 250); // a board that draws 250 W on average
  return OK;
}
int nvmlDeviceGetMigMode(Board *board, unsigned *current, unsigned *pending) {
  *current = *pending = control("mig", 0);
  return state_of(board);
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Board *slice, Board **out) {
  if (!slice || !slice->is_slice) return INVALID;
  *out = &boards[slice->index];
  return OK;
}
#endif
