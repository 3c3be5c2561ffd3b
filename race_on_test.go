//go:build race

package memory

// raceDetector says that this run is slow; texts of 8 MiB are left to the run without it.
const raceDetector = true
