//go:build !unix

package main

// keepPrivate does nothing: the folder says who may read.
func keepPrivate() {}
