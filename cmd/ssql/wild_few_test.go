//go:build !wild

package main

// wildAll has TestWild read all files in all forms.
const wildAll = false
