package slicer

// NewCode lets a test make the code with other options.
var NewCode = newCode
