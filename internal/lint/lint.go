// Package lint keeps the architecture and the style of ssql as tests: who may
// import whom, package comments, sizes of files and functions, forbidden names and
// calls. Each failure says what to do instead.
package lint
