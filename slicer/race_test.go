//go:build race

package slicer_test

const raceDetector = true
