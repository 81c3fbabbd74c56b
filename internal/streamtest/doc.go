// Package streamtest runs stream scripts (.test files): streams are declared, rows
// fed, queries run batch by batch, and everything printed is compared with what the
// script expects. The scripts below testdata/goldens expect what Spark 4.0.1 printed.
//
// script.go reads and writes the format, verbs.go is the table of verbs, harness.go
// holds the engine of one script: streams and sinks in memory around exec queries
// whose checkpoints are on a crashable disk. run.go compares, report.go describes
// differences, rewrite.go puts new answers in, sweep.go runs a script again under other
// conditions with the same expectations, and files.go finds and loads scripts.
//
// `ssql test` and the tests of this repository are its callers.
package streamtest
